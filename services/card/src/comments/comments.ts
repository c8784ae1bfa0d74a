import * as contracts from '@cardinal/contracts';
import { type Caller, CardinalError, requireFound } from '@cardinal/contracts';
import { newRow, readPageRows, resourceOf } from '@cardinal/db';
import { type OpenPage, openPage, sortKey } from '@cardinal/runtime';
import { runDelete, runWrite } from '@cardinal/service';
import { findCardBoard, requireOnCard } from '../cards/queries.ts';
import { cardTarget, onCard, onCardTarget, storeChanges } from '../cards/write.ts';
import type { ServiceContext } from '../context.ts';
import { comments, type Reader, type RowOf, type Tx } from '../database.ts';
import { eventOf } from '../events.ts';

const toComment = resourceOf(contracts.comment);

/** Serves the requests on comments (CONTRACT 6.5). A card counts its comments. */
export const serveComments = (context: ServiceContext): void => {
  const { bus, db } = context;

  bus.serve(contracts.createComment, (request) =>
    runWrite(context, request, {
      ...cardTarget(request),
      write: async (tx, { card }) => {
        const { workspace_id, user_id: created_by, body } = request;
        const row = await comments.insert(tx, { ...newRow(), ...body, workspace_id, card_id: card.id, created_by });
        await storeChanges(tx, card, { comment_count: card.comment_count + 1 }, row.created_at);
        return toComment(row);
      },
      event: ({ card }, data, now) => eventOf('comment.created', request, now, { ...onCard(card), data }),
    }),
  );

  /** Reads a comment, also on a card of a deleted board. */
  bus.serve(contracts.getComment, ({ comment_id, ...caller }) =>
    db.read(async (tx) => {
      const found = await comments.find(tx, caller.workspace_id, comment_id);
      return toComment((await requireOnCard(tx, 'Comment', caller, found)).row);
    }),
  );

  bus.serve(contracts.listComments, async ({ card_id, page: asked, ...caller }) => {
    const page = openPage(['comments', caller.workspace_id, card_id], [sortKey.id], asked);
    const rows = await db.read(async (tx) => {
      requireFound('Card', await findCardBoard(tx, caller, card_id));
      return listComments(tx, caller.workspace_id, card_id, page);
    });
    return page.cut(rows, toComment, (row) => [row.id]);
  });

  bus.serve(contracts.patchComment, (request) =>
    runWrite(context, request, {
      ...ownComment(request),
      write: async (tx, { row }, now) => toComment(await comments.update(tx, row, request.body, now)),
      event: ({ card, row }, data, now) =>
        eventOf('comment.updated', request, now, { ...onCard(card), before: toComment(row), data }),
    }),
  );

  bus.serve(contracts.deleteComment, (request) =>
    runDelete(context, request, {
      ...ownComment(request),
      write: async (tx, { card, row }, now) => {
        await comments.remove(tx, row);
        await storeChanges(tx, card, { comment_count: card.comment_count - 1 }, now);
      },
      event: ({ card, row }, _gone, now) =>
        eventOf('comment.deleted', request, now, { ...onCard(card), before: toComment(row) }),
    }),
  );
};

/** The target of a write on a comment. Only its author can write it (CONTRACT 6.5). */
const ownComment = (request: Caller & { comment_id: string }) => ({
  ...onCardTarget('Comment', request, (tx) => comments.find(tx, request.workspace_id, request.comment_id)),
  permit: async (_tx: Tx, { row }: { row: RowOf<'comments'> }) => {
    if (row.created_by === request.user_id) return;
    throw new CardinalError('insufficient_scope', 'Only its author may change a comment');
  },
});

/**
 * Reads a page of a card's comments by id, which is the order of creation: oldest first.
 * @returns the rows and one more
 */
export const listComments = (tx: Reader, workspaceId: string, cardId: string, page: OpenPage<[id: string]>) =>
  readPageRows(tx, comments.in(tx, workspaceId).where('card_id', '=', cardId), {
    by: ['id'],
    ...page,
    texts: ['body'],
  });
