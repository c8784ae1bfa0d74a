import { type Caller, cardSummary } from '@cardinal/contracts';
import { prepared, resourceOf, rowsFor, type StoredAs } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { NIL } from 'uuid';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { askedIdentifiers } from './look-up.ts';
import { visibleAsked } from './summaries.ts';

type CardSummary = z.output<typeof cardSummary>;

/** A look-up for a user: of an identifier in canonical spelling, or of a card's id where the identifier is null. */
interface ReferenceKey extends Caller {
  identifier: string | null;
  card_id: string | null;
}

/**
 * Reads summaries of cards that users see, by an identifier that is current or lately issued, else by the card's id; $1
 * `ReferenceKey`s (`rowsFor`).
 */
export const findReferences = prepared<StoredAs<CardSummary> & { ordinal: number }>(
  'find-references',
  `select asked.ordinal, cards.id, cards.identifier, cards.title, cards.board_id, cards.completed_at, cards.archived_at
${askedIdentifiers}
${visibleAsked}`,
);

const toSummary = resourceOf(cardSummary);

/** The most lists in one query, each of up to a hundred identifiers. */
const listsAtOnce = 64;

/**
 * Creates the look-up of many identifiers, with the steps of `cardFinder`: first among current and issued
 * identifiers, then one request to the ledger for all others. Identifiers that are unknown, of hidden cards and of
 * deleted cards take the same queries, so their timing does not differ. The cache saves two queries only for callers
 * that see the card.
 */
export const referenceFinder = ({ db, former }: Pick<ServiceContext, 'db' | 'former'>) => {
  const rows = coalesce<ReferenceKey[], (CardSummary | undefined)[]>({
    name: 'card_references',
    concurrency: 2,
    maxBatch: listsAtOnce,
    run: async (lists) => {
      const found = await db.read((tx) => rowsFor(tx, findReferences, lists.flat()));
      let at = 0;
      return lists.map(({ length }) => {
        at += length;
        return found.slice(at - length, at).map((row) => row && toSummary(row));
      });
    },
  });

  /**
   * Finds cards by identifiers.
   * @param identifiers different identifiers in canonical spelling, at most as many as the ledger takes in one request
   * @returns the cards in the order of the identifiers; undefined where the caller sees no card
   */
  return async (
    { workspace_id, user_id }: Caller,
    identifiers: readonly string[],
  ): Promise<(CardSummary | undefined)[]> => {
    const by = { workspace_id, user_id };
    const cards = new Map<string, CardSummary>();
    const look = async (asked: readonly string[], keys: Omit<ReferenceKey, keyof Caller>[]) => {
      const found = await rows.submit(keys.map((key) => ({ ...by, ...key })));
      for (const [at, identifier] of asked.entries()) {
        const card = found[at];
        if (!card) continue;
        cards.set(identifier, card);
        former.note(workspace_id, identifier, card);
      }
    };
    const here = identifiers.map((identifier) => ({
      identifier,
      card_id: former.find(workspace_id, identifier) ?? null,
    }));
    await look(identifiers, here);
    const left = identifiers.filter((identifier) => !cards.has(identifier));
    if (left.length > 0) {
      const ids = await former.byLedger(by, left);
      const there = left.map((_, at) => ({ identifier: null, card_id: ids[at] ?? NIL }));
      await look(left, there);
    }
    return identifiers.map((identifier) => cards.get(identifier));
  };
};

export type ReferenceFinder = ReturnType<typeof referenceFinder>;
