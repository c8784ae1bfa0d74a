import type { Bus } from '@cardinal/bus';
import {
  type Caller,
  type Card,
  CardinalError,
  Document,
  formatIdentifier,
  type IdentifierHistoryEntry,
  identifierPattern,
  listIdentifiers,
  listUnrecorded,
  lookUpCard,
  lookUpIdentifier,
  notFound,
  parseIdentifier,
  replyOf,
  resolveIdentifier,
} from '@cardinal/contracts';
import { cursorRefused, openPage } from '@cardinal/runtime';
import { LRUCache } from 'lru-cache';
import { NIL } from 'uuid';
import { z } from 'zod';

/** What is needed of the bus to answer a request. */
export type BusCaller = Pick<Bus, 'call' | 'fetch'>;

/** What a request's path and query say, parsed and checked. */
export interface Asked {
  params: Record<string, string>;
  query: { limit: number; cursor?: string | undefined };
}

/** Identifiers known at once. */
const cacheSize = 50_000;

/**
 * `workspace/user/IDENTIFIER` to card id, of what each user has seen. An identifier is bound to its card for ever, so an
 * entry never goes stale; and whoever did not see the card never has an answer sooner than for what was never issued.
 */
const bindings = new LRUCache<string, string>({ max: cacheSize });

/**
 * Finds the card of an identifier in its canonical spelling. The card service is asked first, which knows what is
 * current and what is on its way to the ledger: in the other order an identifier could be missed by both (architecture,
 * "One transaction", 5). What was never issued takes the way of what is hidden or gone, and as long.
 */
const lookUp = async (bus: BusCaller, by: Caller, identifier: string) => {
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

/**
 * Opens a page of a card's identifier history, which only grows at its end: the next page goes on at the last
 * identifier. Returns what cuts the page out of the whole.
 * @throws CardinalError `invalid_request` for a cursor that is broken, made up, or of another card
 */
export const openHistoryPage = (
  { workspace_id }: Caller,
  cardId: string,
  asked: { limit: number; cursor?: string | undefined },
) => {
  const page = openPage(['identifiers', workspace_id, cardId], [z.string().regex(identifierPattern)], asked);
  return (entries: IdentifierHistoryEntry[]) => {
    const last = entries.findIndex(({ identifier }) => identifier === page.after?.[0]);
    if (page.after && last === -1) throw cursorRefused();
    return page.cut(
      entries.slice(last + 1),
      (entry) => entry,
      ({ identifier }) => [identifier],
    );
  };
};

/** The operations that no service answers alone, by their ids. */
export const composed: Record<string, (bus: BusCaller, by: Caller, asked: Asked) => Promise<Document>> = {
  async getCardByIdentifier(bus, by, { params: { identifier = '' } }) {
    const parts = parseIdentifier(identifier);
    if (!parts) throw notFound('Card');
    const canonical = formatIdentifier(parts.prefix, parts.number);
    const { card, text } = await lookUp(bus, by, canonical);
    const added = JSON.stringify({
      resolved_identifier: identifier,
      is_alias: canonical !== card.identifier,
      current_identifier: card.identifier,
    });
    return new Document({}, `${text.slice(0, -1)},${added.slice(1)}`);
  },

  // Who may see the card, which identifier is current and what is on its way to the ledger only the card's owner knows.
  async listIdentifiers(bus, by, { params: { card_id = '' }, query }) {
    const pageOf = openHistoryPage(by, card_id, query);
    const ofCard = await bus.call(listUnrecorded, { ...by, card_id });
    return pageOf(await bus.call(listIdentifiers, { ...by, card_id, ...ofCard }));
  },
};
