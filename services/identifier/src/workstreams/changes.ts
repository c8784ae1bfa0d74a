import { type EventOf, projectWorkstream, workstreamChanged } from '@cardinal/contracts';
import { appendEvents, newEvent } from '@cardinal/db';
import { type ServiceContext, type Tx, type WorkstreamRow, workstreams } from '../context.ts';
import { insertWorkstream, type NewWorkstream, toWorkstream } from './queries.ts';

type WorkstreamEvent = EventOf<typeof workstreamChanged>;

const tellOf = async (tx: Tx, row: WorkstreamRow): Promise<WorkstreamEvent> => {
  const { workspace_id: workspaceId, updated_at: now } = row;
  const event = newEvent(workstreamChanged, { workspaceId, aggregate: row, data: toWorkstream(row), now });
  await appendEvents(tx, [event]);
  return event;
};

/** Inserts a workstream with the event that tells of it; undefined where its prefix was ever used. */
export const storeNew = async (tx: Tx, workspaceId: string, seed: NewWorkstream) => {
  const made = await insertWorkstream(tx, workspaceId, seed);
  return made && tellOf(tx, made);
};

/** Writes what comes out different of a locked workstream, with the event that tells of it, if anything does. */
export const storeChange = async (
  tx: Tx,
  row: WorkstreamRow,
  changes: Parameters<typeof workstreams.update>[2],
  now: Date,
) => {
  const changed = await workstreams.update(tx, row, changes, now);
  return { workstream: toWorkstream(changed), event: changed === row ? undefined : await tellOf(tx, changed) };
};

/** Makes a committed change known: wakes the relay, and tells the card service before the writer is answered. */
export const announce = async ({ bus, relay }: ServiceContext, event: WorkstreamEvent | undefined): Promise<void> => {
  if (!event) return;
  relay.nudge();
  await bus.callBestEffort(projectWorkstream, event);
};
