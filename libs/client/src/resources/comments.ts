import type { Comment, createCommentBody, patchCommentBody } from '@cardinal/contracts';
import type { z } from 'zod';
import { type ListOptions, listingOf } from '../listing.ts';
import { pathTo } from '../path.ts';
import type { CallOptions, PostOptions, Send } from '../transport.ts';
import type { DataOf, Versioned } from './versioned.ts';

export type NewComment = z.input<typeof createCommentBody>;
export type CommentChanges = z.input<typeof patchCommentBody>;

/** Comments on cards. Every call throws ApiError or ConnectionError; a stale version is a 412. */
export const comments = (send: Send) => ({
  create: async (cardId: string, comment: NewComment, options?: PostOptions) =>
    (await send<DataOf<Comment>>({ method: 'POST', path: pathTo`/cards/${cardId}/comments`, body: comment }, options))
      .data,
  /** A card's comments, oldest first. */
  list: (cardId: string, options?: ListOptions) =>
    listingOf<Comment>(send, { path: pathTo`/cards/${cardId}/comments` }, options),
  get: async (id: string, options?: CallOptions) =>
    (await send<DataOf<Comment>>({ method: 'GET', path: pathTo`/comments/${id}` }, options)).data,
  /** One's own; somebody else's is a 403. */
  update: async ({ id, version }: Versioned, changes: CommentChanges, options?: CallOptions) =>
    (
      await send<DataOf<Comment>>(
        { method: 'PATCH', path: pathTo`/comments/${id}`, body: changes, ifMatch: version },
        options,
      )
    ).data,
  /** One's own; somebody else's is a 403. */
  delete: ({ id, version }: Versioned, options?: CallOptions) =>
    send<void>({ method: 'DELETE', path: pathTo`/comments/${id}`, ifMatch: version }, options),
});
