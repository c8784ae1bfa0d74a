import {
  type createWorkstreamBody,
  type EventOf,
  mainPrefix,
  projectWorkstream,
  workstreamChanged,
} from '@cardinal/contracts';
import { appendEvents, newEvent, newRow } from '@cardinal/db';
import type { z } from 'zod';
import { type ServiceContext, type Tx, type WorkstreamRow, workstreams } from '../context.ts';
import { toWorkstream } from './queries.ts';

type WorkstreamEvent = EventOf<typeof workstreamChanged>;

const tellOf = async (tx: Tx, row: WorkstreamRow): Promise<WorkstreamEvent> => {
  const { workspace_id: workspaceId, updated_at: now } = row;
  const event = newEvent(workstreamChanged, { workspaceId, aggregate: row, data: toWorkstream(row), now });
  await appendEvents(tx, [event]);
  return event;
};

/**
 * Inserts a workstream with the event that tells of it, unless its prefix was ever used in the workspace, in which the one
 * with the prefix `MAIN` is the default; waits for a racing insert of the same prefix.
 * @param seed `prefix` in upper case
 */
export const storeNew = async (tx: Tx, workspace_id: string, seed: z.output<typeof createWorkstreamBody>) => {
  const made = await tx
    .insertInto('workstreams')
    .values({ ...newRow(), ...seed, workspace_id, is_default: seed.prefix === mainPrefix })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'prefix']).doNothing())
    .returningAll()
    .executeTakeFirst();
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
