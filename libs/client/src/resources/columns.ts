import type { Column, createColumnBody, patchColumnBody } from '@cardinal/contracts';
import type { z } from 'zod';
import { type ListOptions, listingOf } from '../listing.ts';
import { pathTo } from '../path.ts';
import type { CallOptions, PostOptions, Send } from '../transport.ts';
import type { DataOf, Versioned } from './versioned.ts';

export type NewColumn = z.input<typeof createColumnBody>;
export type ColumnChanges = z.input<typeof patchColumnBody>;

/** Columns of boards. Every call throws ApiError or ConnectionError; a stale version is a 412. */
export const columns = (send: Send) => {
  const post = async (path: string, more: { body?: unknown; ifMatch?: number }, options?: PostOptions) =>
    (await send<DataOf<Column>>({ method: 'POST', path, ...more }, options)).data;

  return {
    /** Adds a column as the board's last. */
    create: (boardId: string, column: NewColumn, options?: PostOptions) =>
      post(pathTo`/boards/${boardId}/columns`, { body: column }, options),
    /** A board's active columns from first to last, or the archived ones. */
    list: (boardId: string, { archived, ...options }: ListOptions & { archived?: boolean } = {}) =>
      listingOf<Column>(send, { path: pathTo`/boards/${boardId}/columns`, query: { archived } }, options),
    get: async (id: string, options?: CallOptions) =>
      (await send<DataOf<Column>>({ method: 'GET', path: pathTo`/columns/${id}` }, options)).data,
    update: async ({ id, version }: Versioned, changes: ColumnChanges, options?: CallOptions) =>
      (
        await send<DataOf<Column>>(
          { method: 'PATCH', path: pathTo`/columns/${id}`, body: changes, ifMatch: version },
          options,
        )
      ).data,
    archive: ({ id, version }: Versioned, options?: PostOptions) =>
      post(pathTo`/columns/${id}/archive`, { ifMatch: version }, options),
    restore: ({ id, version }: Versioned, options?: PostOptions) =>
      post(pathTo`/columns/${id}/restore`, { ifMatch: version }, options),
  };
};
