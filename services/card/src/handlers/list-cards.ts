import { type listCards as contract, notFound, uuid, version } from '@cardinal/contracts';
import { z } from 'zod';
import { resumeAfter } from '../domain/list-cursor.ts';
import type { Handler, Parts } from '../parts.ts';
import { findBoard } from '../store/boards.ts';
import { type ListedCard, listCards as read } from '../store/card-list.ts';
import { toCard } from '../store/card-rows.ts';
import { readCursorState } from '../store/cursor-state.ts';
import { pageOf, readCursor } from '../store/page.ts';

const spot = [uuid, z.number(), version] as const;
const place = z
  .tuple([...spot, ...spot])
  .transform(([columnId, columnPosition, columnVersion, cardId, cardPosition, cardVersion]) => ({
    column: { id: columnId, position: columnPosition, version: columnVersion },
    card: { id: cardId, position: cardPosition, version: cardVersion },
  }));

const cursorOf = (row: ListedCard) => [
  ...[row.column_id, row.column_position, row.column_version],
  ...[row.id, row.position, row.version],
];

/** Lists the cards of a board by column, then by position. */
export const listCards =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  ({ workspace_id, user_id, board_id, filters, page: { limit, cursor } }) =>
    db.read(async (tx) => {
      if (!(await findBoard(tx, { workspace_id, user_id }, board_id))) throw notFound('Board');
      const scope = ['cards', workspace_id, board_id, Object.entries(filters).sort()] as const;
      const last = readCursor(scope, cursor, place);
      const after = last && resumeAfter(last, await readCursorState(tx, workspace_id, board_id, last));
      const rows = await read(tx, workspace_id, board_id, { filters, after, limit: limit + 1 });
      return pageOf(scope, rows, { limit, present: toCard, cursorOf });
    });
