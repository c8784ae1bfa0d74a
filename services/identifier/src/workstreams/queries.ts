import { mainPrefix, workstream } from '@cardinal/contracts';
import { newRow, readPageRows, resourceOf } from '@cardinal/db';
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

/** The id of a workspace's default workstream, where it was made already. */
export const getDefaultWorkstream = async (tx: Reader, workspaceId: string): Promise<string | undefined> =>
  (await workstreams.in(tx, workspaceId).where('is_default', '=', true).executeTakeFirst())?.id;

/** What a new workstream is made of; `prefix` in upper case. */
export interface NewWorkstream {
  name: string;
  prefix: string;
  description?: string | null | undefined;
}

/**
 * Inserts a workstream unless its prefix was ever used in the workspace, in which the one with the prefix `MAIN` is the
 * default; waits for a racing insert of the same prefix.
 */
export const insertWorkstream = (tx: Tx, workspace_id: string, { name, prefix, description }: NewWorkstream) =>
  tx
    .insertInto('workstreams')
    .values({ ...newRow(), workspace_id, name, prefix, description, is_default: prefix === mainPrefix })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'prefix']).doNothing())
    .returningAll()
    .executeTakeFirst();

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

/** Archives that have begun, of all workspaces. */
export const listClosing = (tx: Reader, limit: number): Promise<WorkstreamKey[]> =>
  tx
    .selectFrom('workstreams')
    .select(['workspace_id', 'id as workstream_id'])
    .where('closing', 'is not', null)
    .limit(limit)
    .execute();
