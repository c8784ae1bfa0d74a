import { workstream } from '@cardinal/contracts';
import { readPageRows, resourceOf } from '@cardinal/db';
import type { OpenPage } from '@cardinal/runtime';
import type { Updateable } from 'kysely';
import { type Reader, type Tx, workstreams } from '../context.ts';
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

/** Workstreams in the order of their making: the default one, made first of all, leads. */
export const listWorkstreams = (
  tx: Reader,
  { workspace_id, archived }: { workspace_id: string; archived: boolean },
  page: OpenPage<[createdAt: string, id: string]>,
) =>
  readPageRows(tx, workstreams.in(tx, workspace_id).where('archived_at', archived ? 'is not' : 'is', null), {
    by: ['created_at', 'id'],
    ...page,
    texts: ['description'],
  });
