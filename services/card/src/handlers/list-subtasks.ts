import { type listSubtasks as contract, notFound } from '@cardinal/contracts';
import { openPage } from '@cardinal/runtime';
import { positionOf, spotOf } from '../domain/list-cursor.ts';
import type { Handler, Parts } from '../parts.ts';
import { spotKeys } from '../store/cursor-state.ts';
import { linkBoardsSeen } from '../store/linked-files.ts';
import { findSubtask, listSubtasks as read, toSubtask } from '../store/subtasks.ts';
import { seesCard } from '../store/visibility.ts';

/** Lists the subtasks of a card in the order of their positions. */
export const listSubtasks =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ card_id, page: asked, ...caller }) => {
    const { workspace_id } = caller;
    const page = openPage(['subtasks', workspace_id, card_id], spotKeys, asked);
    const { rows, seen } = await db.read(async (tx) => {
      if (!(await seesCard(tx, caller, card_id))) throw notFound('Card');
      const last = page.after && spotOf(page.after);
      const now = last && (await findSubtask(tx, workspace_id, last.id));
      // A cursor that somebody made up may name a subtask of another card.
      const afterPosition = last && positionOf(last, now?.card_id === card_id ? now : undefined);
      const rows = await read(tx, workspace_id, card_id, { afterPosition, limit: page.limit });
      return { rows, seen: await linkBoardsSeen(tx, caller, rows) };
    });
    return page.cut(
      rows,
      (row) => toSubtask(row, seen),
      (row) => [row.id, row.position, row.version],
    );
  };
