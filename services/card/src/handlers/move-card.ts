import type { moveCard as contract, MoveCardBody } from '@cardinal/contracts';
import type { ColumnRow } from '../columns/columns.ts';
import { anchorOf, checkMove, placeOf } from '../domain/move.ts';
import type { Handler, Parts } from '../parts.ts';
import { positionAt } from '../positions/queries.ts';
import type { LockedCard } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import { findPlace, lockDestination } from '../store/destination.ts';
import { Outdated } from '../writing/outdated.ts';
import type { Changes } from '../writing/store-changes.ts';
import { writeCard } from '../writing/write-card.ts';

/** Moves a card to a place in a column of its board. */
export const moveCard =
  (parts: Parts): Handler<typeof contract> =>
  ({ body, ...request }) => {
    let column: ColumnRow | undefined;
    return writeCard(parts, {
      request,
      lockBefore: async (tx) => {
        column = await lockDestination(tx, request.workspace_id, request.card_id, body);
      },
      change: (card, tx) => move(tx, card, column, body),
    });
  };

async function move(tx: Tx, card: LockedCard, column: ColumnRow | undefined, body: MoveCardBody): Promise<Changes> {
  const workspaceId = card.workspace_id;
  const anchor = anchorOf(body);
  const anchorCard = anchor && (await findPlace(tx, workspaceId, anchor.id));
  if (body.column_id === undefined) {
    // The card that says which column it is has left it since.
    const columnId = anchor ? anchorCard?.column_id : card.column_id;
    if (columnId !== column?.id) throw new Outdated();
  }
  checkMove(body, { card, column, anchorCard, boardArchivedAt: card.board_archived_at });
  if (!column) return {};

  const list = { of: 'cards', workspaceId, parentId: column.id } as const;
  const stands = card.column_id === column.id ? card.position : undefined;
  const position = await positionAt(tx, list, placeOf(body), { id: card.id, position: stands });
  if (position === undefined) throw new Outdated();
  return position === stands ? {} : { column_id: column.id, position };
}
