import { type listSubtasks as contract, notFound, uuid, version } from '@cardinal/contracts';
import { z } from 'zod';
import { positionOf } from '../domain/list-cursor.ts';
import type { Handler, Parts } from '../parts.ts';
import { linkBoardsSeen } from '../store/linked-files.ts';
import { pageOf, readCursor } from '../store/page.ts';
import { findSubtask, listSubtasks as read, toSubtask } from '../store/subtasks.ts';
import { seesCard } from '../store/visibility.ts';

const place = z.tuple([uuid, z.number(), version]).transform(([id, position, version]) => ({ id, position, version }));

/** Lists the subtasks of a card in the order of their positions. */
export const listSubtasks =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  ({ card_id, page: { limit, cursor }, ...caller }) =>
    db.read(async (tx) => {
      if (!(await seesCard(tx, caller, card_id))) throw notFound('Card');
      const { workspace_id } = caller;
      const scope = ['subtasks', workspace_id, card_id] as const;
      const last = readCursor(scope, cursor, place);
      const now = last && (await findSubtask(tx, workspace_id, last.id));
      // A cursor that somebody made up may name a subtask of another card.
      const afterPosition = last && positionOf(last, now?.card_id === card_id ? now : undefined);
      const rows = await read(tx, workspace_id, card_id, { afterPosition, limit: limit + 1 });
      const seen = await linkBoardsSeen(tx, caller, rows);
      return pageOf(scope, rows, {
        limit,
        present: (row) => toSubtask(row, seen),
        cursorOf: (row) => [row.id, row.position, row.version],
      });
    });
