import { type Card, type getCard as contract, notFound } from '@cardinal/contracts';
import { coalesce } from '@cardinal/runtime';
import type { Handler, Parts } from '../parts.ts';
import { toCard } from '../store/card-rows.ts';
import { type CardKey, readCards } from '../store/read-cards.ts';

/** Reads under way at once: enough to keep Postgres busy while the next batch fills. */
const concurrency = 2;

/** Reads a card, archived or on a deleted board too. All cards asked for in one tick are read in one query. */
export const getCard = ({ db }: Parts): Handler<typeof contract> => {
  const reads = coalesce<CardKey, Card>({
    concurrency,
    run: async (keys) => {
      const rows = await db.read((tx) => readCards(tx, keys));
      return rows.map((row) => (row ? toCard(row) : notFound('Card')));
    },
  });
  return (request) => reads.submit(request);
};
