import {
  type Caller,
  type createWorkstreamBody,
  type EventType,
  type Mark,
  mainPrefix,
  projectWorkstream,
  type Workstream,
  workstream,
  workstreamChanged,
  workstreamState,
} from '@cardinal/contracts';
import { type ChangeDetails, newInternalEvent, newRow, resourceOf } from '@cardinal/db';
import type { Updateable } from 'kysely';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { type Tx, type WorkstreamRow, workstreams } from '../database.ts';
import type { Range } from '../ledger/rules.ts';
import type { Workstreams } from '../tables.gen.ts';

const present = resourceOf(workstream);
const stateOf = resourceOf(workstreamState);

/** The resource; the range is no part of it. */
export const toWorkstream = (row: WorkstreamRow): Workstream =>
  present({ ...row, adopting: row.adopting && row.archived_at === null });

/** Which workstream of which workspace. */
export interface WorkstreamKey {
  workspace_id: string;
  workstream_id: string;
}

/** Reads one workstream and keeps writers and grants off it until the transaction ends. */
export const lockWorkstream = (tx: Tx, { workspace_id, workstream_id }: WorkstreamKey) =>
  workstreams.lock(tx, workspace_id, workstream_id);

/** What is noted of an archive or opening from its first step to its last. */
type Ending = Pick<WorkstreamRow, 'closing' | 'opening' | 'opens_at' | 'ending_by' | 'ending_request_id'>;

/** Writes columns of a locked workstream that are no part of the resource. */
export const updateWorkstream = async (
  tx: Tx,
  { workspace_id, workstream_id }: WorkstreamKey,
  set: Pick<Updateable<Workstreams>, keyof Range | 'adopted_through' | keyof Ending>,
): Promise<void> => {
  const all = tx.updateTable('workstreams').set(set);
  await all.where('workspace_id', '=', workspace_id).where('id', '=', workstream_id).execute();
};

/** What followers hear of a workstream, clients and the card service. */
export const changeTo = (
  type: EventType,
  { workspace_id, user_id }: Caller,
  data: Workstream,
  before?: Workstream,
): ChangeDetails => ({
  ...{ type, by: { user_id }, at: data.updated_at, data },
  subject: { type: 'workstream', id: data.id, version: data.version },
  ...(before && { before }),
  internal: [stateEvent(workspace_id, data)],
});

/** The internal event that says how a workstream is now. */
export const stateEvent = (workspaceId: string, changed: Workstream) => {
  const data = stateOf(changed);
  return newInternalEvent(workstreamChanged, { workspaceId, aggregate: data, data, now: new Date(data.updated_at) });
};

/**
 * Inserts a workstream, unless its prefix was ever used in the workspace, where the one with the prefix
 * `MAIN` is the default; waits for a concurrent insert of the same prefix.
 * @param seed `prefix` in upper case
 * @param mark what the register has of the prefix (`Marks.reserve`)
 */
export const storeNew = async (
  tx: Tx,
  workspace_id: string,
  seed: z.output<typeof createWorkstreamBody>,
  { workstream_id: id, through, epoch, epoch_base }: Mark,
) => {
  const adopting = seed.adopting ?? false;
  const made = await tx
    .insertInto('workstreams')
    .values({
      ...newRow(),
      ...{ ...seed, id, adopting, epoch, epoch_base },
      // What it begins behind, for the day on which the register forgets it.
      ...(adopting ? { adopted_through: through } : { granted_through: through }),
      workspace_id,
      is_default: seed.prefix === mainPrefix,
    })
    // On whichever unique index: two first requests may meet in that of the default first.
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return made && toWorkstream(made);
};

/** Updates a locked workstream where a value differs. */
export const storeChange = async (
  tx: Tx,
  row: WorkstreamRow,
  changes: Parameters<typeof workstreams.update>[2],
  now: Date,
) => toWorkstream(await workstreams.update(tx, row, changes, now));

/**
 * Makes a committed state known: nudges the followers, and updates the card service before the writer is answered. Also for
 * a state that was there before: the earlier writer may not have come that far.
 */
export const announce = async (
  { bus, feed }: ServiceContext,
  workspaceId: string,
  workstream: Workstream,
): Promise<void> => {
  feed.nudge(workspaceId);
  feed.nudgeProjections(workspaceId);
  await bus.callBestEffort(projectWorkstream, stateEvent(workspaceId, workstream));
};
