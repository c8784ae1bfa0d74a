import { workstream } from '@cardinal/contracts';
import { resourceOf } from '@cardinal/db';
import type { Updateable } from 'kysely';
import { type Tx, workstreams } from '../context.ts';
import type { Workstreams } from '../tables.gen.ts';

/** The resource; the range is no part of it. */
export const toWorkstream = resourceOf(workstream);

/** Which workstream of which workspace. */
export interface WorkstreamKey {
  workspace_id: string;
  workstream_id: string;
}

/** Reads one workstream and keeps writers and grants off it until the transaction ends. */
export const lockWorkstream = (tx: Tx, { workspace_id, workstream_id }: WorkstreamKey) =>
  workstreams.lock(tx, workspace_id, workstream_id);

/** Writes columns of a locked workstream that are no part of the resource. */
export const updateWorkstream = async (
  tx: Tx,
  { workspace_id, workstream_id }: WorkstreamKey,
  set: Pick<Updateable<Workstreams>, 'granted_through' | 'closing'>,
): Promise<void> => {
  const all = tx.updateTable('workstreams').set(set);
  await all.where('workspace_id', '=', workspace_id).where('id', '=', workstream_id).execute();
};
