import { type listComments as contract, notFound } from '@cardinal/contracts';
import { openPage, sortKey } from '@cardinal/runtime';
import type { Handler, Parts } from '../parts.ts';
import { listComments as read, toComment } from '../store/comments.ts';
import { seesCard } from '../store/visibility.ts';

/** Lists the comments of a card, oldest first. */
export const listComments =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async ({ card_id, page: asked, ...caller }) => {
    const page = openPage(['comments', caller.workspace_id, card_id], [sortKey.id], asked);
    const rows = await db.read(async (tx) => {
      if (!(await seesCard(tx, caller, card_id))) throw notFound('Card');
      return read(tx, caller.workspace_id, card_id, page);
    });
    return page.cut(rows, toComment, (row) => [row.id]);
  };
