import { type EventOf, projectWorkstream, type Workstream, workstreamChanged } from '@cardinal/contracts';
import { appendEvents, newEvent } from '@cardinal/db';
import type { ServiceContext, Tx } from '../context.ts';
import { insertWorkstream, updateWorkstream } from './queries.ts';

type WorkstreamEvent = EventOf<typeof workstreamChanged>;

const tellOf = async (tx: Tx, workspaceId: string, workstream: Workstream, now: Date): Promise<WorkstreamEvent> => {
  const event = newEvent(workstreamChanged, { workspaceId, aggregate: workstream, data: workstream, now });
  await appendEvents(tx, [event]);
  return event;
};

/** Inserts a workstream with the event that tells of it; undefined where its prefix was ever used. */
export const storeNew = async (tx: Tx, workspaceId: string, made: Workstream, now: Date) =>
  (await insertWorkstream(tx, workspaceId, made)) ? tellOf(tx, workspaceId, made, now) : undefined;

/** Writes a locked workstream's new state with the event that tells of it. An archive under way has ended with it. */
export const storeChange = async (tx: Tx, workspaceId: string, changed: Workstream, now: Date) => {
  const { id: workstream_id, version, name, description, archived_at, updated_at } = changed;
  const set = { version, name, description, archived_at, updated_at, closing: null };
  await updateWorkstream(tx, { workspace_id: workspaceId, workstream_id }, set);
  return tellOf(tx, workspaceId, changed, now);
};

/** Makes a committed change known: wakes the relay, and tells the card service before the writer is answered. */
export const announce = async (
  { bus, relay }: Pick<ServiceContext, 'bus' | 'relay'>,
  event: WorkstreamEvent | undefined,
): Promise<void> => {
  if (!event) return;
  relay.nudge();
  await bus.callBestEffort(projectWorkstream, event);
};
