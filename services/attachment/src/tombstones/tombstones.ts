import { consumers, subtaskDeleted } from '@cardinal/contracts';
import { deadLetter } from '@cardinal/db';
import { sql } from 'kysely';
import type { ServiceContext, Tx } from '../context.ts';

/**
 * Removes covers and links of deleted cards and subtasks. A tombstone keeps out those that arrive late, and makes the
 * event repeatable. Files stay (api-decisions, "Files").
 */
export const serveDeletions = ({ bus, db, now }: ServiceContext): void => {
  const onPoison = (event: unknown, error: unknown) => deadLetter(db, event, error);

  bus.consume({
    consumer: consumers.attachmentOfDeletedCards,
    handle: ({ workspace_id, aggregate_id: cardId }) =>
      db.transaction(async (tx) => {
        await lockCard(tx, cardId);
        await insertTombstone(tx, workspace_id, cardId, now());
        for (const table of ['covers', 'linked_files'] as const) {
          await tx.deleteFrom(table).where('workspace_id', '=', workspace_id).where('card_id', '=', cardId).execute();
        }
      }),
    onPoison,
  });

  bus.consume({
    consumer: consumers.attachmentOfDeletedSubtasks,
    handle: async (event) => {
      const { workspace_id, aggregate_id: subtaskId, data } = subtaskDeleted.schema.parse(event);
      await db.transaction(async (tx) => {
        await lockCard(tx, data.card_id);
        await insertTombstone(tx, workspace_id, subtaskId, now());
        const links = tx.deleteFrom('linked_files').where('workspace_id', '=', workspace_id);
        await links.where('subtask_id', '=', subtaskId).execute();
      });
    },
    onPoison,
  });
};

/**
 * Holds a card, and a subtask of it, against deletion until the transaction ends: covers and links are inserted and
 * swept away under one lock.
 * @returns false where one of them is gone
 */
export const lockUndeleted = async (tx: Tx, workspaceId: string, cardId: string, subtaskId?: string) => {
  await lockCard(tx, cardId);
  const tombstone = await tx
    .selectFrom('tombstones')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', subtaskId ? [cardId, subtaskId] : [cardId])
    .executeTakeFirst();
  return tombstone === undefined;
};

const lockCard = (tx: Tx, cardId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${cardId}, 0))`.execute(tx);

const insertTombstone = (tx: Tx, workspaceId: string, id: string, now: Date) =>
  tx
    .insertInto('tombstones')
    .values({ workspace_id: workspaceId, id, deleted_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
