import {
  type Caller,
  cardReference,
  Document,
  formatIdentifier,
  type getCardByIdentifier,
  notFound,
  parseIdentifier,
} from '@cardinal/contracts';
import { type PreparedStatement, prepared, resourceOf, rowsFor } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import type { DocumentHandler } from '@cardinal/service';
import { NIL } from 'uuid';
import type { ServiceContext } from '../context.ts';
import type { CardDocuments, StatedCard } from './documents.ts';
import { askedCards, type CardKey, cardAsked } from './read.ts';

/** A look-up of an identifier in canonical spelling, for a user. */
interface IdentifierKey extends Caller {
  identifier: string;
  /** The card that had the identifier before, from the cache. */
  card_id: string | undefined;
}

/** A card with the fields that a look-up adds (CONTRACT 4.3). */
export type ReferencedCard = StatedCard & {
  ordinal: number;
  board_name: string;
  board_archived_at: Date | null;
  board_deleted_at: Date | null;
  dependency_count: number;
  dependent_count: number;
};

/** Makes SQL that counts the dependencies with the card at one end and an existing card at the other. */
const countOf = (end: string, other: string) => `(select count(*)::integer from card_dependencies as edge
      where edge.workspace_id = cards.workspace_id and edge.${end} = cards.id and edge.present
        and exists (select from cards as other where other.workspace_id = edge.workspace_id and other.id = edge.${other} offset 0))`;

const reference = [
  'boards.name as board_name',
  'boards.archived_at as board_archived_at',
  'boards.deleted_at as board_deleted_at',
  `${countOf('card_id', 'depends_on_card_id')} as dependency_count`,
  `${countOf('depends_on_card_id', 'card_id')} as dependent_count`,
];

/** Reads cards by id with the fields that a look-up adds; $1 `CardKey`s (`rowsFor`). */
export const lookUpCards = prepared<ReferencedCard>(
  'look-up-cards',
  `select asked.ordinal, card.*\nfrom ${askedCards}\n${cardAsked(reference)}`,
);

/**
 * SQL that finds the card of each requested identifier: the card that has it, else the card that it was issued to in the
 * last days (`issued`), else the card whose id the request gives. The last offset is an optimizer fence: without it,
 * Postgres scans the whole workspace.
 */
export const askedIdentifiers = `from (
  select ordinal, workspace_id, user_id, identifier, coalesce(
    (select cards.id from cards
      where cards.workspace_id = asked.workspace_id and cards.identifier = asked.identifier),
    (select issued.card_id from issued
      where issued.workspace_id = asked.workspace_id and issued.identifier = asked.identifier),
    card_id
  ) as card_id
  from json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, identifier text, card_id uuid)
  offset 0
) as asked`;

/**
 * Reads cards by an identifier that is current, lately issued or cached, with the fields that a look-up adds; $1
 * `IdentifierKey`s (`rowsFor`).
 */
export const lookUpIdentifiers = prepared<ReferencedCard>(
  'look-up-identifiers',
  `select asked.ordinal, card.*
${askedIdentifiers}
${cardAsked(reference)}`,
);

const toReference = resourceOf(cardReference);

/** Queries of one kind that run at once: enough to keep Postgres busy while the next batch fills. */
const concurrency = 4;

/**
 * Makes the handler that finds a card by an identifier (CONTRACT 4.3). It looks among current and issued identifiers
 * first, then in the ledger: in the other order, both could miss an identifier (ARCHITECTURE, "A look-up").
 * An identifier that was never issued, that of a hidden card and that of a deleted card take the same three queries, so
 * their timing does not differ. The cache, and `issued`, save two queries only for callers that see the card.
 * @param documentsNow the cache of documents
 */
export const cardFinder = (
  { db, former }: Pick<ServiceContext, 'db' | 'former'>,
  documentsNow: () => CardDocuments,
): DocumentHandler<typeof getCardByIdentifier> => {
  const lookUpsBy = <Key extends object>(name: string, statement: PreparedStatement<ReferencedCard>) =>
    coalesce<Key, ReturnType<typeof found> | undefined>({
      name,
      concurrency,
      run: async (keys) => {
        const documents = documentsNow();
        const rows = await db.read((tx) => rowsFor(tx, statement, keys));
        return rows.map((row) => row && found(row, documents));
      },
    });
  const byIdentifier = lookUpsBy<IdentifierKey>('identifier_lookups', lookUpIdentifiers);
  const byId = lookUpsBy<CardKey>('card_lookups', lookUpCards);

  const byLedger = async (by: Caller, identifier: string) => {
    const [card_id] = await former.byLedger(by, [identifier]);
    return byId.submit({ ...by, card_id: card_id ?? NIL });
  };

  return async ({ identifier: spelling, ...by }) => {
    const parsed = parseIdentifier(spelling);
    if (!parsed) throw notFound('Card');
    const identifier = formatIdentifier(parsed.prefix, parsed.number);
    const card_id = former.find(by.workspace_id, identifier);
    const card = (await byIdentifier.submit({ ...by, identifier, card_id })) ?? (await byLedger(by, identifier));
    if (!card) throw notFound('Card');
    former.note(by.workspace_id, identifier, card);
    const is_alias = identifier !== card.identifier;
    const reference = JSON.stringify({ resolved_identifier: spelling, is_alias, current_identifier: card.identifier });
    return new Document({}, `${card.text},${reference.slice(1)}`);
  };
};

/** Makes the first part of the answer for a card that was found (CONTRACT 4.3). */
const found = (row: ReferencedCard, documents: CardDocuments) => {
  // A deleted card leaves no row, and look-ups of its identifiers answer 404.
  const reference = JSON.stringify(toReference({ ...row, deleted_at: null }));
  return { id: row.id, identifier: row.identifier, text: `{"card":${documents.of(row).text},"reference":${reference}` };
};
