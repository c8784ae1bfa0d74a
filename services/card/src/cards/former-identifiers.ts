import type { Bus } from '@cardinal/bus';
import { type Caller, resolveIdentifier, resolveRecorded, unavailable } from '@cardinal/contracts';
import { LRUCache } from 'lru-cache';

/** Entries of the cache. */
const cacheSize = 50_000;
/**
 * The most look-ups that wait for the ledger at once. The limit keeps a slow ledger from slowing other requests of this
 * process.
 */
const maxAtLedger = 500;

/**
 * Creates the look-up of former identifiers in the ledger, with a cache. An identifier belongs to its card for ever
 * (CONTRACT 4.1), so no entry becomes stale.
 */
export const formerIdentifiers = (bus: Pick<Bus, 'call'>) => {
  /** `workspace/IDENTIFIER` to card id. */
  const known = new LRUCache<string, string>({ max: cacheSize });
  let atLedger = 0;

  const resolve = async (by: Caller, identifiers: readonly string[]): Promise<(string | null)[]> => {
    const [identifier = ''] = identifiers;
    // The ledger batches requests for single identifiers.
    if (identifiers.length === 1) return [(await bus.call(resolveIdentifier, { ...by, identifier })).card_id];
    return (await bus.call(resolveRecorded, { ...by, identifiers: [...identifiers] })).card_ids;
  };

  return {
    /**
     * Finds the card of a former identifier in the cache.
     * @param identifier in canonical spelling
     * @returns the card's id
     */
    find: (workspaceId: string, identifier: string): string | undefined => known.get(`${workspaceId}/${identifier}`),
    /** Caches the card of an identifier, unless the identifier is the card's current one. */
    note: (workspaceId: string, identifier: string, card: { id: string; identifier: string }): void => {
      if (card.identifier !== identifier) known.set(`${workspaceId}/${identifier}`, card.id);
    },
    /**
     * Asks the ledger for the cards of identifiers.
     * @returns the ids of the cards, in the order of the identifiers; null for an identifier that was never issued
     * @throws CardinalError `unavailable` where too many look-ups wait for the ledger
     */
    byLedger: async (by: Caller, identifiers: readonly string[]): Promise<(string | null)[]> => {
      if (atLedger >= maxAtLedger) throw unavailable('Too many look-ups wait for the ledger');
      atLedger += 1;
      try {
        return await resolve(by, identifiers);
      } finally {
        atLedger -= 1;
      }
    },
  };
};
