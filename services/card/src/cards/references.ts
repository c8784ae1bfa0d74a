import { type Caller, type ReferencedCard, referencedCard } from '@cardinal/contracts';
import { prepared, resourceOf, rowsFor, type StoredAs } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { NIL } from 'uuid';
import type { ServiceContext } from '../context.ts';
import { askedIdentifiers } from './look-up.ts';
import { visibleAsked } from './summaries.ts';

/** A look-up for a user: of an identifier in canonical spelling, and of a card's id that another place knows for it. */
interface ReferenceKey extends Caller {
  identifier: string;
  card_id: string | null;
}

/** The card of an identifier, where the caller sees one, and whether the identifier was ever issued or adopted. */
export interface Reference {
  card: ReferencedCard | undefined;
  issued: boolean;
}

const nothing: Reference = { card: undefined, issued: false };

type ReferenceRow = (StoredAs<ReferencedCard> | { id: null }) & { ordinal: number; issued: boolean };

/**
 * Reads the cards that users see, by an identifier that is current or lately issued, else by the card's id; $1
 * `ReferenceKey`s (`rowsFor`). An identifier was issued where a card had it, or where its number is one of those that
 * the workstream gave out, with the numbers that a margin skipped (ADR 0071). Numbers up to `adopted_through` were
 * adopted one by one, so each of those has a row in `issued` or in the ledger.
 */
export const findReferences = prepared<ReferenceRow>(
  'find-references',
  `select asked.ordinal, seen.*, asked.card_id <> '${NIL}' or exists (
    select from workstreams
    where workstreams.workspace_id = asked.workspace_id and workstreams.prefix = split_part(asked.identifier, '-', 1)
      and not workstreams.adopting
      and split_part(asked.identifier, '-', 2)::bigint > coalesce(workstreams.adopted_through, 0)
      and split_part(asked.identifier, '-', 2)::bigint <= workstreams.last_number
  ) as issued
${askedIdentifiers}
left join lateral (
  select cards.id, cards.identifier, cards.title, cards.board_id, cards.completed_at, cards.archived_at,
    cards.column_id, cards.version
  from (select) as one
${visibleAsked.replaceAll(/^/gm, '  ')}
) as seen on true`,
);

const toCard = resourceOf(referencedCard);

/** The most lists in one query, each of up to a hundred identifiers. */
const listsAtOnce = 64;

/**
 * Creates the look-up of many identifiers, with the steps of `cardFinder`: first among current and issued
 * identifiers, then one request to the ledger for all others, and the first step again with its answer. Identifiers of
 * hidden and of deleted cards take the same queries as unknown ones. The cache saves two queries only for callers that
 * see the card.
 */
export const referenceFinder = ({ db, former }: Pick<ServiceContext, 'db' | 'former'>) => {
  const rows = coalesce<ReferenceKey[], Reference[]>({
    name: 'card_references',
    concurrency: 2,
    maxBatch: listsAtOnce,
    run: async (lists) => {
      const found = await db.read((tx) => rowsFor(tx, findReferences, lists.flat()));
      const references = found.map((row) => ({
        card: row?.id ? toCard(row) : undefined,
        issued: row?.issued ?? false,
      }));
      let at = 0;
      return lists.map(({ length }) => {
        at += length;
        return references.slice(at - length, at);
      });
    },
  });

  /**
   * Finds cards by identifiers.
   * @param identifiers different identifiers in canonical spelling, at most as many as the ledger takes in one request
   * @returns a reference for each identifier, in their order
   */
  return async ({ workspace_id, user_id }: Caller, identifiers: readonly string[]): Promise<Reference[]> => {
    const look = async (asked: { identifier: string; card_id: string | null }[]): Promise<[string, Reference][]> => {
      const references = await rows.submit(asked.map((key) => ({ workspace_id, user_id, ...key })));
      return asked.map(({ identifier }, at) => [identifier, references[at] ?? nothing]);
    };
    const cached = (identifier: string) => former.find(workspace_id, identifier) ?? null;
    const found = new Map(await look(identifiers.map((identifier) => ({ identifier, card_id: cached(identifier) }))));
    const left = identifiers.filter((identifier) => !found.get(identifier)?.card);
    if (left.length > 0) {
      const ids = await former.byLedger({ workspace_id, user_id }, left);
      const there = left.map((identifier, at) => ({ identifier, card_id: ids[at] ?? NIL }));
      for (const [identifier, reference] of await look(there)) found.set(identifier, reference);
    }
    for (const [identifier, { card }] of found) if (card) former.note(workspace_id, identifier, card);
    return identifiers.map((identifier) => found.get(identifier) ?? nothing);
  };
};

export type ReferenceFinder = ReturnType<typeof referenceFinder>;
