import { z } from 'zod';
import { operationsOf } from './operation.ts';
import { changed, created, deleted, listed, versioned } from './response.ts';
import { doc, head, shown, text, times, uuid } from './scalars.ts';

export const comment = z
  .object({
    ...head('comment'),
    card_id: doc(uuid, 'The card that it is on.'),
    body: doc(shown(20_000), 'Its text, as it was sent.', 'The bank answers with 503 since 9:40.'),
    created_by: doc(uuid, 'Its author, who alone may change it.'),
    ...times,
  })
  .meta({ id: 'Comment', description: 'What somebody said of a card.' });
export type Comment = z.infer<typeof comment>;

const body = text({ min: 1, max: 20_000 })
  .refine((value) => value.trim() !== '', 'must not be blank')
  .meta({
    description: 'Kept as it was sent; not blank.',
    examples: ['The bank answers with 503 since 9:40.'],
    pattern: '\\S',
  });

export const createCommentBody = z.strictObject({ body });
const operation = operationsOf('card', 'Comments');

export const createComment = operation('createComment', 'POST /cards/:card_id/comments', {
  tool: { name: 'comment_on_card' },
  summary: 'Comment on a card',
  description: 'The card counts its comments, so its version rises.',
  body: createCommentBody,
  reply: created(comment, 'comments'),
  emits: ['comment.created'],
  refusals: ['conflict'],
  example: { body: 'The bank answers with 503 since 9:40.' },
});

export const listComments = operation('listComments', 'GET /cards/:card_id/comments', {
  summary: 'List the comments of a card, oldest first',
  description: 'Everyone who sees the card sees them.',
  reply: listed(comment),
});

export const getComment = operation('getComment', 'GET /comments/:comment_id', {
  summary: 'Read a comment',
  reply: versioned(comment),
});

export const patchComment = operation('patchComment', 'PATCH /comments/:comment_id', {
  summary: 'Edit a comment of one’s own',
  description: 'Somebody else’s comment: 403.',
  body: createCommentBody,
  reply: changed(comment),
  emits: ['comment.updated'],
  refusals: ['insufficient_scope', 'conflict'],
  example: { body: 'The bank answered with 503 from 9:40 to 10:15.' },
});

export const deleteComment = operation('deleteComment', 'DELETE /comments/:comment_id', {
  summary: 'Delete a comment of one’s own',
  description: 'Somebody else’s comment: 403.',
  requires: ['If-Match'],
  reply: deleted(),
  emits: ['comment.deleted'],
  refusals: ['insufficient_scope', 'conflict'],
});
