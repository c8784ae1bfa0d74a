import {
  type Caller,
  type Card,
  CardinalError,
  type Document,
  lookUpCard,
  lookUpIdentifier,
  notFound,
  replyOf,
  resolveIdentifier,
} from '@cardinal/contracts';
import { LRUCache } from 'lru-cache';
import { NIL } from 'uuid';
import type { z } from 'zod';
import type { BusCaller } from '../endpoint/endpoint.ts';

/** Identifiers known at once. */
const cacheSize = 50_000;

/**
 * `workspace/user/IDENTIFIER` to card id, of what each user has seen. An identifier is bound to its card for ever, so an
 * entry never goes stale; and whoever did not see the card never has an answer sooner than for what was never issued.
 */
const bindings = new LRUCache<string, string>({ max: cacheSize });

/**
 * Finds the card of an identifier, with what a lookup adds to it. The card service is asked first, which knows what is
 * current and what is on its way to the ledger: in the other order an identifier could be missed by both (architecture,
 * "One transaction", 5). What was never issued takes the way of what is hidden or gone: neither the answer nor the time
 * that it takes tells them apart.
 * @param identifier in its canonical spelling
 * @returns the card, and the text that its owner made of it and of what a lookup adds
 * @throws CardinalError `not_found`
 */
export const lookUp = async (bus: BusCaller, by: Caller, identifier: string) => {
  const key = `${by.workspace_id}/${by.user_id}/${identifier}`;
  const known = bindings.get(key);
  const found =
    known === undefined
      ? ((await unlessNotFound(bus.fetch(lookUpIdentifier, { ...by, identifier }))) ??
        (await byLedger(bus, by, identifier)))
      : await unlessNotFound(bus.fetch(lookUpCard, { ...by, card_id: known }));
  if (found === undefined) throw notFound('Card');
  const card = cardOf(found);
  bindings.set(key, card.id);
  return { card, text: found.text };
};

/** What the head says of the card; that of a card service of a former build does not. */
const cardOf = (found: Document<z.output<typeof lookUpCard.reply>>): Pick<Card, 'id' | 'identifier'> => {
  const { id, identifier } = found.head;
  return id && identifier ? { id, identifier } : lookUpCard.reply.parse(replyOf(found)).card;
};

const byLedger = async (bus: BusCaller, by: Caller, identifier: string) => {
  const owner = await unlessNotFound(bus.call(resolveIdentifier, { ...by, identifier }));
  return unlessNotFound(bus.fetch(lookUpCard, { ...by, card_id: owner?.card_id ?? NIL }));
};

const unlessNotFound = <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof CardinalError && error.code === 'not_found') return undefined;
    throw error;
  });
