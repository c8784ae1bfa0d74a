import { type ColumnRow, firstActiveColumn } from '../columns/columns.ts';
import { lockColumns } from '../positions/queries.ts';
import type { Tx } from './database.ts';

/** The column where a card stands, and the one where it goes when it is restored; no such column on some boards. */
export interface Return {
  from: string;
  to: ColumnRow | undefined;
}

/**
 * Finds the column that a card goes back to and locks it: its own, or the first active one where that is archived. It
 * runs before the card is locked, so what it found may have changed when the card is.
 */
export async function lockReturn(tx: Tx, workspaceId: string, cardId: string): Promise<Return | undefined> {
  const own = await tx
    .selectFrom('cards')
    .innerJoin('columns', (join) =>
      join.onRef('columns.workspace_id', '=', 'cards.workspace_id').onRef('columns.id', '=', 'cards.column_id'),
    )
    .select(['columns.id', 'columns.board_id', 'columns.archived_at'])
    .where('cards.workspace_id', '=', workspaceId)
    .where('cards.id', '=', cardId)
    .executeTakeFirst();
  if (!own) return undefined;
  const to = own.archived_at ? await firstActiveColumn(tx, workspaceId, own.board_id) : own;
  if (!to) return { from: own.id, to: undefined };
  const [locked] = await lockColumns(tx, workspaceId, [to.id]);
  return { from: own.id, to: locked };
}
