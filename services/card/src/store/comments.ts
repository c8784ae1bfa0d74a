import type { Comment } from '@cardinal/contracts';
import { readPageRows } from '@cardinal/db';
import type { OpenPage } from '@cardinal/runtime';
import type { Selectable } from 'kysely';
import type { Reader, Tables, Tx } from './database.ts';

export type CommentRow = Selectable<Tables['comments']>;

const comments = (tx: Reader, workspaceId: string) =>
  tx.selectFrom('comments').selectAll().where('workspace_id', '=', workspaceId);

/** Reads a comment. Whoever holds its card's row lock reads the last state of it. */
export const findComment = (tx: Reader, workspaceId: string, id: string): Promise<CommentRow | undefined> =>
  comments(tx, workspaceId).where('id', '=', id).executeTakeFirst();

/** Writes a new comment. */
export const insertComment = (tx: Tx, row: CommentRow): Promise<CommentRow> =>
  tx.insertInto('comments').values(row).returningAll().executeTakeFirstOrThrow();

/** Writes what changed of a comment. */
export const saveComment = async (
  tx: Tx,
  { workspace_id, id, version, body, updated_at }: CommentRow,
): Promise<void> => {
  await tx
    .updateTable('comments')
    .set({ version, body, updated_at })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute();
};

/** Deletes a comment. */
export const deleteCommentRow = async (tx: Tx, { workspace_id, id }: CommentRow): Promise<void> => {
  await tx.deleteFrom('comments').where('workspace_id', '=', workspace_id).where('id', '=', id).execute();
};

/** Reads a page of the comments of a card, oldest first: their ids are ordered by time. */
export const listComments = (
  tx: Reader,
  workspaceId: string,
  cardId: string,
  { limit, after }: OpenPage<[id: string]>,
): Promise<CommentRow[]> =>
  readPageRows(
    tx,
    comments(tx, workspaceId)
      .where('card_id', '=', cardId)
      .$if(after !== undefined, (query) => query.where('id', '>', after?.[0] as string))
      .orderBy('id'),
    { limit, texts: ['body'] },
  );

/** The comment as clients see it. */
export const toComment = (row: CommentRow): Comment => ({
  id: row.id,
  type: 'comment',
  version: row.version,
  card_id: row.card_id,
  body: row.body,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
