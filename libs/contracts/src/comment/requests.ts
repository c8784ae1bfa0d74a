import { z } from 'zod';
import { caller, commandBy, defineRequest, ifMatch, outcomeOf, pageReply, pageRequest } from '../bus/request.ts';
import { uuid } from '../scalars.ts';
import { comment, createCommentBody, patchCommentBody } from './resource.ts';

const versioned = commandBy.extend({ comment_id: uuid, if_match: ifMatch });

export const createComment = defineRequest(
  'card.create-comment',
  commandBy.extend({ card_id: uuid, body: createCommentBody }),
  outcomeOf(comment),
  ['conflict'],
);
export const getComment = defineRequest('card.get-comment', caller.extend({ comment_id: uuid }), comment);
/** Oldest first. */
export const listComments = defineRequest(
  'card.list-comments',
  caller.extend({ card_id: uuid, page: pageRequest }),
  pageReply(comment),
);
/** By its author only. */
export const patchComment = defineRequest(
  'card.patch-comment',
  versioned.extend({ body: patchCommentBody }),
  outcomeOf(comment),
  ['insufficient_scope', 'conflict'],
);
/** By its author only. */
export const deleteComment = defineRequest('card.delete-comment', versioned, z.object({ deleted: z.literal(true) }), [
  'insufficient_scope',
  'conflict',
]);
