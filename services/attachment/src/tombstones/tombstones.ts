import { cardDeleted, type InternalEvent, subtaskDeleted } from '@cardinal/contracts';
import { comparePages, existingOf, type Projection } from '@cardinal/service';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import type { Reader, ServiceContext, Tx } from '../context.ts';

/** Cards and subtasks per page of the comparison. */
const idsAtOnce = 500;

/**
 * Projects which cards and subtasks were deleted, and removes their covers and links. A tombstone refuses later ones.
 * Files stay (CONTRACT 8.1).
 */
export const projectDeletions = ({ bus, db, now }: ServiceContext): Projection => {
  const take = async (event: InternalEvent): Promise<void> => {
    const { workspace_id, aggregate_id } = event;
    if (event.type === cardDeleted.type) {
      await db.transaction((tx) => removeCard(tx, workspace_id, aggregate_id, now()));
    } else if (event.type === subtaskDeleted.type) {
      const { card_id } = subtaskDeleted.schema.parse(event).data;
      await db.transaction((tx) => removeSubtask(tx, workspace_id, aggregate_id, card_id, now()));
    }
  };
  return {
    owner: 'card',
    take: async (events) => {
      for (const event of events) await take(event);
    },
    rebuildPage: comparePages<{ id: string }, { id: string }>({
      atOnce: idsAtOnce,
      keyOf: ({ id }) => id,
      rowsAfter: (workspaceId, after) => db.read((tx) => listIds(tx, workspaceId, after)),
      ask: ({ workspace_id }, rows) => existingOf(bus, workspace_id, rows),
      mend: async (workspaceId, rows) => {
        for (const [{ id }, existing] of rows) {
          if (!existing) await db.transaction((tx) => removeMissing(tx, workspaceId, id, now()));
        }
        const existing = rows.flatMap(([{ id }, one]) => (one ? id : []));
        if (existing.length > 0) await db.statement((tx) => removeTombstones(tx, workspaceId, existing));
      },
    }),
  };
};

const removeCard = async (tx: Tx, workspaceId: string, cardId: string, now: Date): Promise<void> => {
  await lockCard(tx, cardId);
  await insertTombstone(tx, workspaceId, cardId, now);
  for (const table of ['covers', 'linked_files'] as const) {
    await tx.deleteFrom(table).where('workspace_id', '=', workspaceId).where('card_id', '=', cardId).execute();
  }
};

const removeSubtask = async (tx: Tx, workspaceId: string, subtaskId: string, cardId: string, now: Date) => {
  await lockCard(tx, cardId);
  await insertTombstone(tx, workspaceId, subtaskId, now);
  const links = tx.deleteFrom('linked_files').where('workspace_id', '=', workspaceId);
  await links.where('subtask_id', '=', subtaskId).execute();
};

/** Removes the covers and links of a card or subtask that does not exist. */
const removeMissing = async (tx: Tx, workspaceId: string, id: string, now: Date): Promise<void> => {
  const links = tx.selectFrom('linked_files').select('card_id').where('workspace_id', '=', workspaceId);
  const link = await links.where('subtask_id', '=', id).executeTakeFirst();
  if (link) await removeSubtask(tx, workspaceId, id, link.card_id, now);
  else await removeCard(tx, workspaceId, id, now);
};

/** Reads the ids of cards and subtasks with covers, links or tombstones, by id. */
const listIds = async (tx: Reader, workspaceId: string, after: string | null): Promise<{ id: string }[]> => {
  const part = (table: string, column: string) => sql`
    (select distinct ${sql.ref(column)} as id from ${sql.table(table)}
     where workspace_id = ${workspaceId} and ${sql.ref(column)} > ${after ?? NIL} order by id limit ${idsAtOnce})`;
  const parts = [
    part('covers', 'card_id'),
    part('linked_files', 'card_id'),
    part('linked_files', 'subtask_id'),
    part('tombstones', 'id'),
  ];
  const { rows } = await sql<{ id: string }>`
    select id from (${sql.join(parts, sql` union `)}) as ids order by id limit ${idsAtOnce}`.execute(tx);
  return rows;
};

/** Removes tombstones of cards and subtasks that exist: the database that had deleted them was rolled back. */
const removeTombstones = async (tx: Reader, workspaceId: string, ids: readonly string[]): Promise<void> => {
  const tombstones = tx.deleteFrom('tombstones').where('workspace_id', '=', workspaceId);
  await tombstones.where(sql<boolean>`id = any (${ids}::uuid[])`).execute();
};

/**
 * Locks a card, and a subtask of it, against deletion until the transaction ends: covers and links are inserted and
 * removed under one lock.
 * @returns false where one of them is deleted
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
