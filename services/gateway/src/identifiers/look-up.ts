import { type Caller, CardinalError, lookUpCard, notFound, resolveIdentifier } from '@cardinal/contracts';
import { LRUCache } from 'lru-cache';
import { NIL } from 'uuid';
import type { BusCaller } from '../endpoint/endpoint.ts';

/** Identifiers known at once. */
const cacheSize = 50_000;

/**
 * `workspace/user/IDENTIFIER` to card id, of what each user has seen. An identifier is bound to its card for ever, so an
 * entry never goes stale; and whoever did not see the card never has an answer sooner than for what was never issued.
 */
const bindings = new LRUCache<string, string>({ max: cacheSize });

/**
 * Finds the card of an identifier, with what a lookup adds to it. What was never issued takes the way of what is hidden
 * or gone: neither the answer nor the time that it takes tells them apart.
 * @param identifier in its canonical spelling
 * @throws CardinalError `not_found`
 */
export const lookUp = async (bus: BusCaller, by: Caller, identifier: string) => {
  const key = `${by.workspace_id}/${by.user_id}/${identifier}`;
  const cardId = bindings.get(key) ?? (await unlessNotFound(cardIdOf(bus, by, identifier)));
  const found = await unlessNotFound(bus.call(lookUpCard, { ...by, card_id: cardId ?? NIL }));
  if (cardId === undefined || found === undefined) throw notFound('Card');
  bindings.set(key, cardId);
  return found;
};

const cardIdOf = async (bus: BusCaller, by: Caller, identifier: string) =>
  (await bus.call(resolveIdentifier, { ...by, identifier })).card_id;

const unlessNotFound = <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof CardinalError && error.code === 'not_found') return undefined;
    throw error;
  });
