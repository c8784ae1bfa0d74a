import type { Dependency, dependencyEntry } from '@cardinal/contracts';
import type { z } from 'zod';
import { type ListOptions, listingOf } from '../listing.ts';
import { pathTo } from '../path.ts';
import type { CallOptions, Send } from '../transport.ts';
import type { DataOf } from './versioned.ts';

export type DependencyEntry = z.infer<typeof dependencyEntry>;

/** What cards wait for. Every call throws ApiError or ConnectionError. Repeating a write changes nothing. */
export const dependencies = (send: Send) => {
  const edge = (cardId: string, dependsOnId: string) => pathTo`/cards/${cardId}/dependencies/${dependsOnId}`;

  return {
    /** 409 where that would close a cycle; its `details.path` names the cards of the cycle. */
    add: async (cardId: string, dependsOnId: string, options?: CallOptions) =>
      (await send<DataOf<Dependency>>({ method: 'PUT', path: edge(cardId, dependsOnId) }, options)).data,
    remove: (cardId: string, dependsOnId: string, options?: CallOptions) =>
      send<void>({ method: 'DELETE', path: edge(cardId, dependsOnId) }, options),
    /** What the card depends on, oldest first. */
    list: (cardId: string, options?: ListOptions) =>
      listingOf<DependencyEntry>(send, { path: pathTo`/cards/${cardId}/dependencies` }, options),
    /** What depends on the card, oldest first. */
    dependents: (cardId: string, options?: ListOptions) =>
      listingOf<DependencyEntry>(send, { path: pathTo`/cards/${cardId}/dependents` }, options),
  };
};
