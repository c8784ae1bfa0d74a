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

/** Whose of the identifiers were given to a card, which may be deleted since. Their workstreams are locked. */
export const findTaken = async (
  tx: Tx,
  workspaceId: string,
  identifiers: string[],
): Promise<{ identifier: string; card_id: string }[]> =>
  tx
    .selectFrom('issued')
    .select(['identifier', 'card_id'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`identifier = any (${identifiers}::text[])`)
    .execute();
