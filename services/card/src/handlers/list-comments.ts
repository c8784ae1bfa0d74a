import { type listComments as contract, notFound, uuid } from '@cardinal/contracts';
import { z } from 'zod';
import type { Handler, Parts } from '../parts.ts';
import { listComments as read, toComment } from '../store/comments.ts';
import { pageOf, readCursor } from '../store/page.ts';
import { seesCard } from '../store/visibility.ts';

const place = z.tuple([uuid]);

/** Lists the comments of a card, oldest first. */
export const listComments =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  ({ card_id, page: { limit, cursor }, ...caller }) =>
    db.read(async (tx) => {
      if (!(await seesCard(tx, caller, card_id))) throw notFound('Card');
      const scope = ['comments', caller.workspace_id, card_id] as const;
      const [afterId] = readCursor(scope, cursor, place) ?? [];
      const rows = await read(tx, caller.workspace_id, card_id, { afterId, limit: limit + 1 });
      return pageOf(scope, rows, { limit, present: toComment, cursorOf: (row) => [row.id] });
    });
