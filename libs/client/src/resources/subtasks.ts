import type { createSubtaskBody, File, patchSubtaskBody, Subtask } from '@cardinal/contracts';
import type { z } from 'zod';
import { type ListOptions, listingOf } from '../listing.ts';
import { pathTo } from '../path.ts';
import type { CallOptions, PostOptions, Send } from '../transport.ts';
import type { DataOf, Versioned } from './versioned.ts';

export type NewSubtask = z.input<typeof createSubtaskBody>;
export type SubtaskChanges = z.input<typeof patchSubtaskBody>;

/** Subtasks of cards. Every call throws ApiError or ConnectionError; a stale version is a 412. */
export const subtasks = (send: Send) => ({
  /** Adds a subtask as the card's last. */
  create: async (cardId: string, subtask: NewSubtask, options?: PostOptions) =>
    (await send<DataOf<Subtask>>({ method: 'POST', path: pathTo`/cards/${cardId}/subtasks`, body: subtask }, options))
      .data,
  /** A card's subtasks in their order. */
  list: (cardId: string, options?: ListOptions) =>
    listingOf<Subtask>(send, { path: pathTo`/cards/${cardId}/subtasks` }, options),
  get: async (id: string, options?: CallOptions) =>
    (await send<DataOf<Subtask>>({ method: 'GET', path: pathTo`/subtasks/${id}` }, options)).data,
  /** Renames, completes or reopens, and places. */
  update: async ({ id, version }: Versioned, changes: SubtaskChanges, options?: CallOptions) =>
    (
      await send<DataOf<Subtask>>(
        { method: 'PATCH', path: pathTo`/subtasks/${id}`, body: changes, ifMatch: version },
        options,
      )
    ).data,
  delete: ({ id, version }: Versioned, options?: CallOptions) =>
    send<void>({ method: 'DELETE', path: pathTo`/subtasks/${id}`, ifMatch: version }, options),
  /** In place of any other. 409 before the file is checked, 422 where it failed a check. */
  linkFile: async (id: string, fileId: string, options?: CallOptions) =>
    (await send<DataOf<File>>({ method: 'PUT', path: pathTo`/subtasks/${id}/linked-file/${fileId}` }, options)).data,
  unlinkFile: (id: string, options?: CallOptions) =>
    send<void>({ method: 'DELETE', path: pathTo`/subtasks/${id}/linked-file` }, options),
});
