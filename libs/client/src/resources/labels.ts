import type { createLabelBody, Label, patchLabelBody } from '@cardinal/contracts';
import type { z } from 'zod';
import { type ListOptions, listingOf } from '../listing.ts';
import { pathTo } from '../path.ts';
import type { CallOptions, PostOptions, Send } from '../transport.ts';
import type { DataOf, Versioned } from './versioned.ts';

export type NewLabel = z.input<typeof createLabelBody>;
export type LabelChanges = z.input<typeof patchLabelBody>;

/** Labels of the workspace. Every call throws ApiError or ConnectionError; a stale version is a 412. */
export const labels = (send: Send) => ({
  create: async (label: NewLabel, options?: PostOptions) =>
    (await send<DataOf<Label>>({ method: 'POST', path: '/labels', body: label }, options)).data,
  list: (options?: ListOptions) => listingOf<Label>(send, { path: '/labels' }, options),
  get: async (id: string, options?: CallOptions) =>
    (await send<DataOf<Label>>({ method: 'GET', path: pathTo`/labels/${id}` }, options)).data,
  update: async ({ id, version }: Versioned, changes: LabelChanges, options?: CallOptions) =>
    (
      await send<DataOf<Label>>(
        { method: 'PATCH', path: pathTo`/labels/${id}`, body: changes, ifMatch: version },
        options,
      )
    ).data,
  /** Takes it off every card that carries it, whose versions rise. */
  delete: ({ id, version }: Versioned, options?: CallOptions) =>
    send<void>({ method: 'DELETE', path: pathTo`/labels/${id}`, ifMatch: version }, options),
});
