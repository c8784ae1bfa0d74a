import type { Caller } from '@cardinal/contracts';
import { sql } from 'kysely';
import { boardVisibleTo } from '../boards/queries.ts';
import { columns, type Reader, type Tx } from '../database.ts';
import type { TargetColumn } from './decide.ts';

/** Reads columns that the caller sees, with what their boards say of new cards. */
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

/** Locks columns, whose order and top are the transaction's then. */
export const lockColumns = (tx: Tx, workspaceId: string, ids: string[]) =>
  columns.in(tx, workspaceId).where(sql<boolean>`id = any (${ids}::uuid[])`).orderBy('id').forNoKeyUpdate().execute();

/** Locks workstreams and says what may be adopted into them: openings, archives and other adoptions wait. */
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
 * Which of the identifiers were given to a card, with the card; null for one that is deleted since, or that the caller does
 * not see. Their workstreams are locked.
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
