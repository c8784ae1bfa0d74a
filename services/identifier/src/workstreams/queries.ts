import { type Workstream, workstream } from '@cardinal/contracts';
import { readPageRows, resourceOf } from '@cardinal/db';
import type { OpenPage } from '@cardinal/runtime';
import { sql, type Updateable } from 'kysely';
import type { Reader, Tx } from '../context.ts';
import type { Workstreams } from '../tables.gen.ts';

/** The resource; the range is no part of it. */
export const toWorkstream = resourceOf(workstream);

const byId = (tx: Reader, workspaceId: string, id: string) =>
  tx.selectFrom('workstreams').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id);

/** Reads one workstream of a workspace. */
export const getWorkstream = async (tx: Reader, workspaceId: string, id: string) => {
  const row = await byId(tx, workspaceId, id).executeTakeFirst();
  return row && toWorkstream(row);
};

/**
 * Reads one workstream and keeps writers and grants off it until the transaction ends.
 * @returns `closing` is the command that is archiving it
 */
export const lockWorkstream = async (tx: Tx, workspaceId: string, id: string) => {
  const row = await byId(tx, workspaceId, id).forNoKeyUpdate().executeTakeFirst();
  return row && { workstream: toWorkstream(row), granted_through: row.granted_through, closing: row.closing };
};

/** The id of a workspace's default workstream, where it was made already. */
export const getDefaultWorkstream = async (tx: Reader, workspaceId: string): Promise<string | undefined> => {
  const defaults = tx.selectFrom('workstreams').select('id').where('workspace_id', '=', workspaceId);
  return (await defaults.where('is_default', '=', true).executeTakeFirst())?.id;
};

/**
 * Inserts a workstream unless its prefix was ever used in the workspace; waits for a racing insert of the same prefix.
 * @returns whether it was inserted
 */
export const insertWorkstream = async (
  tx: Tx,
  workspaceId: string,
  { type: _, ...workstream }: Workstream,
): Promise<boolean> => {
  const inserted = await tx
    .insertInto('workstreams')
    .values({ workspace_id: workspaceId, ...workstream })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'prefix']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
};

const update = async (tx: Tx, workspaceId: string, id: string, set: Updateable<Workstreams>) => {
  await tx.updateTable('workstreams').set(set).where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
};

/** Writes what can change of a locked workstream. Nobody changes one while it is being archived, but who archives it. */
export const updateWorkstream = (
  tx: Tx,
  workspaceId: string,
  { id, version, name, description, archived_at, updated_at }: Workstream,
) => update(tx, workspaceId, id, { version, name, description, archived_at, updated_at, closing: null });

/** Notes that a command is archiving a locked workstream, until `updateWorkstream` writes that it is archived. */
export const noteClosing = (tx: Tx, workspaceId: string, id: string, commandId: string) =>
  update(tx, workspaceId, id, { closing: commandId });

/** Extends the range of a locked workstream. */
export const extendRange = (tx: Tx, workspaceId: string, id: string, grantedThrough: number) =>
  update(tx, workspaceId, id, { granted_through: grantedThrough });

/** Workstreams in the order of their making: the default one, made first of all, leads. */
export const listWorkstreams = (
  tx: Reader,
  { workspace_id, archived }: { workspace_id: string; archived: boolean },
  { limit, after }: OpenPage<[createdAt: string, id: string]>,
) =>
  readPageRows(
    tx,
    tx
      .selectFrom('workstreams')
      .selectAll()
      .where('workspace_id', '=', workspace_id)
      .where('archived_at', archived ? 'is not' : 'is', null)
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(created_at, id) > (${after?.[0]}::timestamptz, ${after?.[1]}::uuid)`),
      )
      .orderBy('created_at')
      .orderBy('id'),
    { limit, texts: ['description'] },
  );

/** Archives that have begun, of all workspaces. */
export const listClosing = (tx: Reader, limit: number) =>
  tx
    .selectFrom('workstreams')
    .select(['workspace_id', 'id as workstream_id'])
    .where('closing', 'is not', null)
    .limit(limit)
    .execute();
