import type {
  Card,
  CardFilters,
  Cover,
  cardResolvedView,
  createCardBody,
  IdentifierHistoryEntry,
  moveCardBody,
  patchCardBody,
} from '@cardinal/contracts';
import type { z } from 'zod';
import { type ListOptions, listingOf } from '../listing.ts';
import { pathTo } from '../path.ts';
import type { CallOptions, PostOptions, Send } from '../transport.ts';
import type { DataOf, Versioned } from './versioned.ts';

export type NewCard = z.input<typeof createCardBody>;
export type CardChanges = z.input<typeof patchCardBody>;
export type CardPlace = z.input<typeof moveCardBody>;
export type CardListFilters = Partial<CardFilters>;
export type ResolvedCard = z.infer<typeof cardResolvedView>;

/** Cards. Every call throws ApiError or ConnectionError; a stale version is a 412. */
export const cards = (send: Send) => {
  const post = async (path: string, more: { body?: unknown; ifMatch?: number }, options?: PostOptions) =>
    (await send<DataOf<Card>>({ method: 'POST', path, ...more }, options)).data;
  const put = async (path: string, options?: CallOptions) =>
    (await send<DataOf<Card>>({ method: 'PUT', path }, options)).data;

  return {
    /** Adds a card at the start of a column; without `workstream_id` in the board's workstream, else in the default. */
    create: (columnId: string, card: NewCard, options?: PostOptions) =>
      post(pathTo`/columns/${columnId}/cards`, { body: card }, options),
    /** A board's cards by column and position; all filters must hold. */
    list: (boardId: string, filters: CardListFilters = {}, options?: ListOptions) =>
      listingOf<Card>(send, { path: pathTo`/boards/${boardId}/cards`, query: filters }, options),
    get: async (id: string, options?: CallOptions) =>
      (await send<DataOf<Card>>({ method: 'GET', path: pathTo`/cards/${id}` }, options)).data,
    /** Edits, and transfers with `workstream_id`: both or neither. */
    update: async ({ id, version }: Versioned, changes: CardChanges, options?: CallOptions) =>
      (
        await send<DataOf<Card>>(
          { method: 'PATCH', path: pathTo`/cards/${id}`, body: changes, ifMatch: version },
          options,
        )
      ).data,
    /** Moves to a column of the same board and a place in it, the start by default. */
    move: ({ id, version }: Versioned, place: CardPlace, options?: PostOptions) =>
      post(pathTo`/cards/${id}/move`, { body: place, ifMatch: version }, options),
    /** Gives the card a new identifier in another workstream; the former one stays an alias for ever. */
    transfer: ({ id, version }: Versioned, workstreamId: string, options?: PostOptions) =>
      post(pathTo`/cards/${id}/workstream`, { body: { workstream_id: workstreamId }, ifMatch: version }, options),
    archive: ({ id, version }: Versioned, options?: PostOptions) =>
      post(pathTo`/cards/${id}/archive`, { ifMatch: version }, options),
    restore: ({ id, version }: Versioned, options?: PostOptions) =>
      post(pathTo`/cards/${id}/restore`, { ifMatch: version }, options),
    /** For good; needs `kanban:admin`. */
    delete: ({ id, version }: Versioned, options?: CallOptions) =>
      send<void>({ method: 'DELETE', path: pathTo`/cards/${id}`, ifMatch: version }, options),
    assign: (id: string, userId: string, options?: CallOptions) =>
      put(pathTo`/cards/${id}/assignees/${userId}`, options),
    unassign: (id: string, userId: string, options?: CallOptions) =>
      send<void>({ method: 'DELETE', path: pathTo`/cards/${id}/assignees/${userId}` }, options),
    addLabel: (id: string, labelId: string, options?: CallOptions) =>
      put(pathTo`/cards/${id}/labels/${labelId}`, options),
    removeLabel: (id: string, labelId: string, options?: CallOptions) =>
      send<void>({ method: 'DELETE', path: pathTo`/cards/${id}/labels/${labelId}` }, options),
    /** Finds a card by any identifier it ever had, in any letter case. */
    resolve: async (identifier: string, options?: CallOptions) =>
      (await send<DataOf<ResolvedCard>>({ method: 'GET', path: pathTo`/cards/by-identifier/${identifier}` }, options))
        .data,
    /** Every identifier of the card, oldest first. */
    identifiers: (id: string, options?: ListOptions) =>
      listingOf<IdentifierHistoryEntry>(send, { path: pathTo`/cards/${id}/identifiers` }, options),
    /** The card's cover with the URLs of its renditions, good for an hour; null where there is none to be seen. */
    cover: async (id: string, options?: CallOptions) =>
      (await send<DataOf<Cover> | undefined>({ method: 'GET', path: pathTo`/cards/${id}/cover` }, options))?.data ??
      null,
    /** In place of any other; the card's version stays. 409 before the file is checked, 422 where it is no clean image. */
    setCover: async (id: string, fileId: string, options?: CallOptions) =>
      (await send<DataOf<Cover>>({ method: 'PUT', path: pathTo`/cards/${id}/cover/${fileId}` }, options)).data,
    removeCover: (id: string, options?: CallOptions) =>
      send<void>({ method: 'DELETE', path: pathTo`/cards/${id}/cover` }, options),
  };
};
