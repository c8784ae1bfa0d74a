import { z } from 'zod';
import { operation } from './operation.ts';
import { changed, created, deleted, listed, versioned } from './response.ts';
import { text, timestamp, uuid, version } from './scalars.ts';

export const comment = z
  .object({
    id: uuid,
    type: z.literal('comment'),
    version,
    card_id: uuid,
    body: z.string(),
    created_by: uuid,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Comment' });
export type Comment = z.infer<typeof comment>;

/** The text of a comment, kept as it was sent, but not blank. */
const body = text({ min: 1, max: 20_000 }).refine((value) => value.trim() !== '', 'must not be blank');

export const createCommentBody = z.strictObject({ body });
export const patchCommentBody = z.strictObject({ body });

export const createComment = operation({
  id: 'createComment',
  service: 'card',
  method: 'POST',
  path: '/cards/:card_id/comments',
  tag: 'Comments',
  summary: 'Comment on a card',
  requires: ['Idempotency-Key'],
  body: createCommentBody,
  reply: created(comment, 'comments'),
  refusals: ['conflict'],
  example: { body: 'The bank answers with 503 since 9:40.' },
});

export const listComments = operation({
  id: 'listComments',
  service: 'card',
  method: 'GET',
  path: '/cards/:card_id/comments',
  tag: 'Comments',
  summary: 'List the comments of a card, oldest first',
  reply: listed(comment),
});

export const getComment = operation({
  id: 'getComment',
  service: 'card',
  method: 'GET',
  path: '/comments/:comment_id',
  tag: 'Comments',
  summary: 'Read a comment',
  reply: versioned(comment),
});

export const patchComment = operation({
  id: 'patchComment',
  service: 'card',
  method: 'PATCH',
  path: '/comments/:comment_id',
  tag: 'Comments',
  summary: 'Edit a comment of one’s own',
  description: 'Somebody else’s comment: 403.',
  requires: ['If-Match'],
  body: patchCommentBody,
  reply: changed(comment),
  refusals: ['insufficient_scope', 'conflict'],
  example: { body: 'The bank answered with 503 from 9:40 to 10:15.' },
});

export const deleteComment = operation({
  id: 'deleteComment',
  service: 'card',
  method: 'DELETE',
  path: '/comments/:comment_id',
  tag: 'Comments',
  summary: 'Delete a comment of one’s own',
  description: 'Somebody else’s comment: 403.',
  requires: ['If-Match'],
  reply: deleted(),
  refusals: ['insufficient_scope', 'conflict'],
});
