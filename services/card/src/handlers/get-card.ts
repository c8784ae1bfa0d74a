import { type Card, type getCard as contract, type Document, notFound } from '@cardinal/contracts';
import { coalesce } from '@cardinal/runtime';
import type { DocumentHandler } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { rowsFor } from '../store/asked.ts';
import type { CardDocuments } from '../store/card-documents.ts';
import { type CardKey, readCards } from '../store/statements/read-cards.ts';

/** Reads under way at once: enough to keep Postgres busy while the next batch fills. */
const concurrency = 2;

/** Reads a card, archived or on a deleted board too. All cards asked for in one tick are read in one query. */
export const getCard = (
  { db }: Pick<ServiceContext, 'db'>,
  documentsNow: () => CardDocuments,
): DocumentHandler<typeof contract> => {
  const reads = coalesce<CardKey, Document<Card>>({
    name: 'card_reads',
    concurrency,
    run: async (keys) => {
      const documents = documentsNow();
      const rows = await db.read((tx) => rowsFor(tx, readCards, keys));
      return rows.map((row) => (row ? documents.of(row) : notFound('Card')));
    },
  });
  return (request) => reads.submit(request);
};
