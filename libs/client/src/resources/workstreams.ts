import type { createWorkstreamBody, patchWorkstreamBody, Workstream } from '@cardinal/contracts';
import type { z } from 'zod';
import { type ListOptions, listingOf } from '../listing.ts';
import { pathTo } from '../path.ts';
import type { CallOptions, PostOptions, Send } from '../transport.ts';
import type { DataOf, Versioned } from './versioned.ts';

export type NewWorkstream = z.input<typeof createWorkstreamBody>;
export type WorkstreamChanges = z.input<typeof patchWorkstreamBody>;

/** Workstreams. Every call throws ApiError or ConnectionError; a stale version is a 412. */
export const workstreams = (send: Send) => {
  const post = async (path: string, more: { body?: unknown; ifMatch?: number }, options?: PostOptions) =>
    (await send<DataOf<Workstream>>({ method: 'POST', path, ...more }, options)).data;

  return {
    /** 409 where the workspace ever used the prefix. */
    create: (workstream: NewWorkstream, options?: PostOptions) => post('/workstreams', { body: workstream }, options),
    /** Active workstreams, or the archived ones. */
    list: ({ archived, ...options }: ListOptions & { archived?: boolean } = {}) =>
      listingOf<Workstream>(send, { path: '/workstreams', query: { archived } }, options),
    get: async (id: string, options?: CallOptions) =>
      (await send<DataOf<Workstream>>({ method: 'GET', path: pathTo`/workstreams/${id}` }, options)).data,
    update: async ({ id, version }: Versioned, changes: WorkstreamChanges, options?: CallOptions) =>
      (
        await send<DataOf<Workstream>>(
          { method: 'PATCH', path: pathTo`/workstreams/${id}`, body: changes, ifMatch: version },
          options,
        )
      ).data,
    /** Its cards keep their identifiers; no card enters it again, its prefix stays taken. */
    archive: ({ id, version }: Versioned, options?: PostOptions) =>
      post(pathTo`/workstreams/${id}/archive`, { ifMatch: version }, options),
  };
};
