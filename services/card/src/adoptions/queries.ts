import type { Caller } from '@cardinal/contracts';
import { sql } from 'kysely';
import { boardVisibleTo } from '../boards/queries.ts';
import { columns, type Reader, type Tx } from '../database.ts';
import type { TargetColumn } from './decide.ts';

/** Reads those of the columns that the caller sees, each with the time at which its board was archived. */
export const findColumns = (tx: Reader, { workspace_id, user_id }: Caller, ids: string[]): Promise<TargetColumn[]> =>
  tx
    .selectFrom('columns')
    .innerJoin('boards', (join) =>
      join.onRef('boards.workspace_id', '=', 'columns.workspace_id').onRef('boards.id', '=', 'columns.board_id'),
    )
    .select(['columns.id', 'columns.board_id', 'columns.archived_at', 'boards.archived_at as board_archived_at'])
    .where('columns.workspace_id', '=', workspace_id)
    .where(sql<boolean>`columns.id = any (${ids}::uuid[])`)
    .where('boards.deleted_at', 'is', null)
    .where(boardVisibleTo(user_id))
    .execute();

/** Locks columns in the order of their ids. The order of their cards and their tops stay until the transaction ends. */
export const lockColumns = (tx: Tx, workspaceId: string, ids: string[]) =>
  columns.in(tx, workspaceId).where(sql<boolean>`id = any (${ids}::uuid[])`).orderBy('id').forNoKeyUpdate().execute();

/** Locks workstreams and reads their states of adoption. Openings, archives and other adoptions wait for the lock. */
export const lockWorkstreams = (tx: Tx, workspaceId: string, ids: string[]) =>
  tx
    .selectFrom('workstreams')
    .select(['id', 'name', 'prefix', 'adopting', 'closed', 'adopted_through', 'granted_through'])
    .select(sql<number>`tableoid::bigint`.as('table'))
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`id = any (${ids}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();

/**
 * Finds those of the identifiers that a card has or had. Call it under the locks of their workstreams.
 * @returns each with its card's id; null where the card is deleted or hidden from the caller
 */
export const findTaken = async (
  tx: Tx,
  { workspace_id, user_id }: Caller,
  identifiers: string[],
): Promise<{ identifier: string; card_id: string | null }[]> =>
  tx
    .selectFrom('issued')
    .select('identifier')
    .select(
      sql<string | null>`(
        select cards.id from cards join boards using (workspace_id)
        where cards.workspace_id = issued.workspace_id and cards.id = issued.card_id and boards.id = cards.board_id
          and ${boardVisibleTo(user_id)})`.as('card_id'),
    )
    .where('workspace_id', '=', workspace_id)
    .where(sql<boolean>`identifier = any (${identifiers}::text[])`)
    .execute();
