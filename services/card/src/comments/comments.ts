import * as contracts from '@cardinal/contracts';
import { type Caller, CardinalError, notFound, requireFound } from '@cardinal/contracts';
import { resourceOf } from '@cardinal/db';
import { type OpenPage, openPage, sortKey } from '@cardinal/runtime';
import { NIL } from 'uuid';
import { cardTarget, onCardTarget, storeChanges, writeOnCard } from '../cards/write.ts';
import type { ServiceContext } from '../context.ts';
import { newRow, type RowOf, readPageAfter, rowsOf } from '../rows.ts';
import type { Reader, Tx } from '../store/database.ts';
import { seesCard } from '../store/visibility.ts';

const comments = rowsOf('comments');
const toComment = resourceOf(contracts.comment);

/** Comments on cards, which count them. */
export const serveComments = (context: ServiceContext): void => {
  const { bus, db } = context;

  bus.serve(contracts.createComment, (request) =>
    writeOnCard(context, request, {
      ...cardTarget(request),
      write: async (tx, { card }) => {
        const { workspace_id, user_id: created_by, body } = request;
        const row = await comments.insert(tx, { ...newRow(), ...body, workspace_id, card_id: card.id, created_by });
        await storeChanges(tx, card, { comment_count: card.comment_count + 1 }, row.created_at);
        return toComment(row);
      },
    }),
  );

  /** Also on a card of a deleted board. What is hidden takes the queries that the unknown takes. */
  bus.serve(contracts.getComment, ({ comment_id, ...caller }) =>
    db.read(async (tx) => {
      const comment = await comments.find(tx, caller.workspace_id, comment_id);
      const isSeen = await seesCard(tx, caller, comment?.card_id ?? NIL);
      return toComment(requireFound('Comment', isSeen ? comment : undefined));
    }),
  );

  bus.serve(contracts.listComments, async ({ card_id, page: asked, ...caller }) => {
    const page = openPage(['comments', caller.workspace_id, card_id], [sortKey.id], asked);
    const rows = await db.read(async (tx) => {
      if (!(await seesCard(tx, caller, card_id))) throw notFound('Card');
      return listComments(tx, caller.workspace_id, card_id, page);
    });
    return page.cut(rows, toComment, (row) => [row.id]);
  });

  /** The card stays as it is. */
  bus.serve(contracts.patchComment, (request) =>
    writeOnCard(context, request, {
      ...ownComment(request),
      write: async (tx, { row }, now) => toComment(await comments.update(tx, row, request.body, now)),
    }),
  );

  bus.serve(contracts.deleteComment, async (request) => {
    const { resource } = await writeOnCard(context, request, {
      ...ownComment(request),
      deletes: true,
      write: async (tx, { card, row }, now) => {
        await comments.remove(tx, row);
        await storeChanges(tx, card, { comment_count: card.comment_count - 1 }, now);
        return { deleted: true } as const;
      },
    });
    return resource;
  });
};

/** A comment, which only its author may write (api-decisions, "Boards, columns and what hangs on cards"). */
const ownComment = (request: Caller & { comment_id: string }) => ({
  ...onCardTarget('Comment', request, (tx) => comments.find(tx, request.workspace_id, request.comment_id)),
  permit: async (_tx: Tx, { row }: { row: RowOf<'comments'> }) => {
    if (row.created_by === request.user_id) return;
    throw new CardinalError('insufficient_scope', 'Only its author may change a comment');
  },
});

/** Reads a page of the comments of a card, oldest first: their ids are ordered by time. */
export const listComments = (
  tx: Reader,
  workspaceId: string,
  cardId: string,
  { limit, after }: OpenPage<[id: string]>,
) =>
  readPageAfter(
    tx,
    tx.selectFrom('comments').selectAll().where('workspace_id', '=', workspaceId).where('card_id', '=', cardId),
    'id',
    { limit, after: after?.[0], texts: ['body'] },
  );
