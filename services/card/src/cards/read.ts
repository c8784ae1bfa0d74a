import {
  type Card,
  cardReference,
  Document,
  formatIdentifier,
  type lookUpCard,
  notFound,
  parseIdentifier,
} from '@cardinal/contracts';
import { type PreparedStatement, resourceOf, rowsFor } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import type { CardDocuments, StatedCard } from './documents.ts';
import {
  type CardKey,
  type IdentifierKey,
  lookUpCards,
  lookUpIdentifiers,
  type ReferencedCard,
  readCards,
} from './statements/read-cards.ts';

type LookUp = z.output<typeof lookUpCard.reply>;

const toReference = resourceOf(cardReference);

/** Queries of a kind under way at once: enough to keep Postgres busy while the next batch fills. */
const atOnce = { reads: 2, lookUps: 4 };

/** Reads cards, archived or on a deleted board too. All that are asked for in one tick share one query. */
export const cardReader = ({ db }: Pick<ServiceContext, 'db'>, documentsNow: () => CardDocuments) => {
  const readsBy = <Key extends object, Row extends { place: number }, Reply>(
    name: string,
    statement: PreparedStatement<Row>,
    concurrency: number,
    documentOf: (row: Row, documents: CardDocuments) => Document<Reply>,
  ) =>
    coalesce<Key, Document<Reply>>({
      name,
      concurrency,
      run: async (keys) => {
        const documents = documentsNow();
        const rows = await db.read((tx) => rowsFor(tx, statement, keys));
        return rows.map((row) => (row ? documentOf(row, documents) : notFound('Card')));
      },
    });
  const { reads, lookUps } = atOnce;
  const cards = readsBy<CardKey, StatedCard & { place: number }, Card>(
    'card_reads',
    readCards,
    reads,
    (row, documents) => documents.of(row),
  );
  const byId = readsBy<CardKey, ReferencedCard, LookUp>('card_lookups', lookUpCards, lookUps, lookUpOf);
  const byIdentifier = readsBy<IdentifierKey, ReferencedCard, LookUp>(
    'identifier_lookups',
    lookUpIdentifiers,
    lookUps,
    lookUpOf,
  );

  return {
    read: (key: CardKey) => cards.submit(key),

    /** The card half of a lookup by identifier. */
    lookUp: (key: CardKey) => byId.submit(key),

    /** The whole of a lookup by an identifier that is current, or that the ledger may not know yet. */
    lookUpIdentifier: async ({ identifier, ...by }: IdentifierKey) => {
      const parsed = parseIdentifier(identifier);
      if (!parsed) throw notFound('Card');
      return byIdentifier.submit({ ...by, identifier: formatIdentifier(parsed.prefix, parsed.number) });
    },
  };
};

/** A card with what a lookup adds to it (specification, "Identifier lookup result"). */
const lookUpOf = (row: ReferencedCard, documents: CardDocuments): Document<LookUp> => {
  // A deleted card leaves no row: its identifiers answer 404.
  const reference = JSON.stringify(toReference({ ...row, deleted_at: null }));
  const text = `{"card":${documents.of(row).text},"reference":${reference}}`;
  return new Document({ id: row.id, identifier: row.identifier }, text);
};
