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

/** Presents a workstream, without its range. */
export const toWorkstream = (row: WorkstreamRow): Workstream =>
  present({ ...row, adopting: row.adopting && row.archived_at === null });

/** The key of a workstream. */
export interface WorkstreamKey {
  workspace_id: string;
  workstream_id: string;
}

/** Reads one workstream and locks it until the transaction ends, against writers and grants. */
export const lockWorkstream = (tx: Tx, { workspace_id, workstream_id }: WorkstreamKey) =>
  workstreams.lock(tx, workspace_id, workstream_id);

/** The columns of an archive or opening, from its first step to its last. */
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

/** The event of a workstream, for clients and for the card service. */
export const changeTo = (
  type: EventType,
  { workspace_id, user_id }: Caller,
  data: Workstream,
  before?: Workstream,
): ChangeDetails => ({
  type,
  by: { user_id },
  at: data.updated_at,
  data,
  subject: { type: 'workstream', id: data.id, version: data.version },
  ...(before && { before }),
  internal: [stateEvent(workspace_id, data)],
});

/** Makes the internal event with the state of a workstream. */
export const stateEvent = (workspaceId: string, changed: Workstream) => {
  const data = stateOf(changed);
  return newInternalEvent(workstreamChanged, { workspaceId, aggregate: data, data, now: new Date(data.updated_at) });
};

/**
 * Inserts a workstream, unless its prefix was ever used in the workspace. The one with the prefix `MAIN` is the
 * default. Waits for a concurrent insert of the same prefix.
 * @param seed `prefix` in upper case
 * @param mark of the prefix in the register (`Marks.reserve`)
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
      ...seed,
      id,
      adopting,
      epoch,
      epoch_base,
      // The base, in case the register forgets it.
      ...(adopting ? { adopted_through: through } : { granted_through: through }),
      workspace_id,
      is_default: seed.prefix === mainPrefix,
    })
    // On any unique index: two first requests may meet in that of the default first.
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
 * Announces a committed state: nudges followers, and updates the card service before the writer is answered. Also for a
 * state that existed before: the earlier writer may have crashed before it did so.
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
