import type { Bus } from '@cardinal/bus';
import { CardinalError, findCardIds, isIdentifier } from '@cardinal/contracts';
import { LRUCache } from 'lru-cache';
import { v5 } from 'uuid';
import type { Principal } from './tokens/claims.ts';

/** Parameters of a path by their names. */
export type Params = Record<string, string>;

/** The most identifiers that are cached. */
const maxBindings = 20_000;

/**
 * The id for an identifier that leads to no card the caller sees. It is always the same and belongs to no card, so the
 * owner refuses it as any unknown id. Ids of cards are of another version (RFC 9562 5.5).
 */
const nobody = (key: string) => v5(key, v5.URL);

const isNotFound = (error: unknown) => error instanceof CardinalError && error.code === 'not_found';

export type CardNames = ReturnType<typeof cardNames>;

/**
 * Finds the cards that paths name by identifiers (CONTRACT 4.5). An identifier belongs to its card
 * for ever, so its id is cached, for each user separately: a card that one user sees must not make another user's answer
 * faster.
 */
export const cardNames = (bus: Pick<Bus, 'call'>) => {
  const bindings = new LRUCache<string, string>({ max: maxBindings });

  const find = async ({ caller, key }: Principal, identifiers: string[]): Promise<string[]> => {
    const { card_ids } = await bus.call(findCardIds, { ...caller, identifiers });
    return identifiers.map((identifier, at) => {
      const id = card_ids[at];
      if (id) bindings.set(`${key}/${identifier}`, id);
      return id ?? nobody(`${caller.workspace_id}/${identifier}`);
    });
  };

  return {
    /**
     * The ids of cards that a body names. Identifiers are looked up each time: an answer about many cards does not
     * say which cached id is gone.
     */
    async idsOf(by: Principal, cards: readonly string[]): Promise<string[]> {
      const identifiers = [...new Set(cards.filter(isIdentifier))];
      const found = identifiers.length > 0 ? await find(by, identifiers) : [];
      const ids = new Map(identifiers.map((identifier, at) => [identifier, found[at] ?? '']));
      return cards.map((card) => ids.get(card) ?? card);
    },

    /**
     * Sends a request in whose path identifiers are replaced by ids. Where a remembered id is not found, its identifier is
     * looked up once more: a database that was rolled back may have lost the card, and another one adopted the identifier.
     * @param cards which of the parameters are cards
     */
    async withIds<Answer>(
      by: Principal,
      { params, cards }: { params: Params; cards: readonly string[] },
      send: (ids: Params) => Promise<Answer>,
    ): Promise<Answer> {
      const named = cards.filter((name) => isIdentifier(params[name] ?? ''));
      if (named.length === 0) return send(params);
      const identifiers = named.map((name) => params[name] ?? '');
      const idsBy = (found: readonly string[]): Params => ({
        ...params,
        ...Object.fromEntries(named.map((name, at) => [name, found[at] ?? ''])),
      });
      const known = identifiers.flatMap((identifier) => bindings.get(`${by.key}/${identifier}`) ?? []);
      if (known.length < identifiers.length) return send(idsBy(await find(by, identifiers)));
      try {
        return await send(idsBy(known));
      } catch (error) {
        if (!isNotFound(error)) throw error;
        for (const identifier of identifiers) bindings.delete(`${by.key}/${identifier}`);
        const found = await find(by, identifiers);
        if (found.every((id, at) => id === known[at])) throw error;
        return send(idsBy(found));
      }
    },
  };
};
