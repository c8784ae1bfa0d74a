import type { Bus } from '@cardinal/bus';
import { type Caller, resolveIdentifier, resolveRecorded, unavailable } from '@cardinal/contracts';
import { LRUCache } from 'lru-cache';

/** Former identifiers whose cards are known at once. */
const cacheSize = 50_000;
/** Look-ups that may wait for the ledger: where it is slow, everything else that this process serves is not. */
const maxAtLedger = 500;

/** Which cards had identifiers before, as the ledger says. An identifier is bound to its card for ever, so none goes stale. */
export const formerIdentifiers = (bus: Pick<Bus, 'call'>) => {
  /** `workspace/IDENTIFIER` to card id. */
  const known = new LRUCache<string, string>({ max: cacheSize });
  let atLedger = 0;

  const resolve = async (by: Caller, identifiers: readonly string[]): Promise<(string | null)[]> => {
    const [identifier = ''] = identifiers;
    // One alone shares a statement with those of others.
    if (identifiers.length === 1) return [(await bus.call(resolveIdentifier, { ...by, identifier })).card_id];
    return (await bus.call(resolveRecorded, { ...by, identifiers: [...identifiers] })).card_ids;
  };

  return {
    /** The card that is known to have had an identifier in its canonical spelling. */
    find: (workspaceId: string, identifier: string): string | undefined => known.get(`${workspaceId}/${identifier}`),
    /** Remembers the card that an identifier led to, where that is not its current one. */
    note: (workspaceId: string, identifier: string, card: { id: string; identifier: string }): void => {
      if (card.identifier !== identifier) known.set(`${workspaceId}/${identifier}`, card.id);
    },
    /**
     * Asks the ledger.
     * @returns ids of cards in the order of the identifiers; null where none was ever issued
     * @throws CardinalError `unavailable` where too many wait for it
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
