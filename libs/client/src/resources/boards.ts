import type { Board, boardMember, createBoardBody, patchBoardBody, putBoardMemberBody } from '@cardinal/contracts';
import type { z } from 'zod';
import { type ListOptions, listingOf } from '../listing.ts';
import { pathTo } from '../path.ts';
import type { CallOptions, PostOptions, Send } from '../transport.ts';
import type { DataOf, Versioned } from './versioned.ts';

export type NewBoard = z.input<typeof createBoardBody>;
export type BoardChanges = z.input<typeof patchBoardBody>;
export type BoardMember = z.infer<typeof boardMember>;
/** `member` by default, also for who was an owner. */
export type MemberRole = z.input<typeof putBoardMemberBody>;

/** Boards. Every call throws ApiError or ConnectionError; a stale version is a 412. */
export const boards = (send: Send) => {
  const post = async (path: string, more: { body?: unknown; ifMatch?: number }, options?: PostOptions) =>
    (await send<DataOf<Board>>({ method: 'POST', path, ...more }, options)).data;

  return {
    create: (board: NewBoard, options?: PostOptions) => post('/boards', { body: board }, options),
    /** Active boards, or the archived ones. */
    list: ({ archived, ...options }: ListOptions & { archived?: boolean } = {}) =>
      listingOf<Board>(send, { path: '/boards', query: { archived } }, options),
    get: async (id: string, options?: CallOptions) =>
      (await send<DataOf<Board>>({ method: 'GET', path: pathTo`/boards/${id}` }, options)).data,
    update: async ({ id, version }: Versioned, changes: BoardChanges, options?: CallOptions) =>
      (
        await send<DataOf<Board>>(
          { method: 'PATCH', path: pathTo`/boards/${id}`, body: changes, ifMatch: version },
          options,
        )
      ).data,
    archive: ({ id, version }: Versioned, options?: PostOptions) =>
      post(pathTo`/boards/${id}/archive`, { ifMatch: version }, options),
    restore: ({ id, version }: Versioned, options?: PostOptions) =>
      post(pathTo`/boards/${id}/restore`, { ifMatch: version }, options),
    /** Needs `kanban:admin`. The board's cards still answer, but take no writes. */
    delete: ({ id, version }: Versioned, options?: CallOptions) =>
      send<void>({ method: 'DELETE', path: pathTo`/boards/${id}`, ifMatch: version }, options),
    /** A private board is seen by its creator and its members; its creator, owners and admins manage them. */
    addMember: async (id: string, userId: string, { role, ...options }: CallOptions & MemberRole = {}) =>
      (
        await send<DataOf<BoardMember>>(
          { method: 'PUT', path: pathTo`/boards/${id}/members/${userId}`, ...(role ? { body: { role } } : {}) },
          options,
        )
      ).data,
    members: (id: string, options?: ListOptions) =>
      listingOf<BoardMember>(send, { path: pathTo`/boards/${id}/members` }, options),
    removeMember: (id: string, userId: string, options?: CallOptions) =>
      send<void>({ method: 'DELETE', path: pathTo`/boards/${id}/members/${userId}` }, options),
  };
};
