import {
  type lookUpIdentifier as byIdentifier,
  type lookUpCard as contract,
  Document,
  formatIdentifier,
  notFound,
  parseIdentifier,
} from '@cardinal/contracts';
import type { PreparedStatement } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import type { DocumentHandler } from '@cardinal/service';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { rowsFor } from '../store/asked.ts';
import type { CardDocuments } from '../store/card-documents.ts';
import { type ReferencedCard, toReference } from '../store/card-references.ts';
import { type CardKey, type IdentifierKey, lookUpCards, lookUpIdentifiers } from '../store/statements/read-cards.ts';

type Reply = Document<z.output<typeof contract.reply>>;

const concurrency = 4;

/** Lookups that arrive together share one query. */
const lookUpsBy = <Key extends object>(
  name: string,
  statement: PreparedStatement<ReferencedCard & { place: number }>,
  { db }: Pick<ServiceContext, 'db'>,
  documentsNow: () => CardDocuments,
) =>
  coalesce<Key, Reply>({
    name,
    concurrency,
    run: async (keys) => {
      const documents = documentsNow();
      const rows = await db.read((tx) => rowsFor(tx, statement, keys));
      return rows.map((row) => (row ? toReply(row, documents) : notFound('Card')));
    },
  });

const toReply = (row: ReferencedCard, documents: CardDocuments): Reply =>
  new Document(
    { id: row.id, identifier: row.identifier },
    `{"card":${documents.of(row).text},"reference":${JSON.stringify(toReference(row))}}`,
  );

/** Reads the card half of a lookup by identifier. */
export const lookUpCard = (
  parts: Pick<ServiceContext, 'db'>,
  documentsNow: () => CardDocuments,
): DocumentHandler<typeof contract> => {
  const lookUps = lookUpsBy<CardKey>('card_lookups', lookUpCards, parts, documentsNow);
  return (request) => lookUps.submit(request);
};

/** The whole of a lookup by an identifier that is current, or that the ledger may not know yet. */
export const lookUpIdentifier = (
  parts: Pick<ServiceContext, 'db'>,
  documentsNow: () => CardDocuments,
): DocumentHandler<typeof byIdentifier> => {
  const lookUps = lookUpsBy<IdentifierKey>('identifier_lookups', lookUpIdentifiers, parts, documentsNow);
  return async ({ identifier, ...by }) => {
    const parsed = parseIdentifier(identifier);
    if (!parsed) throw notFound('Card');
    return lookUps.submit({ ...by, identifier: formatIdentifier(parsed.prefix, parsed.number) });
  };
};
