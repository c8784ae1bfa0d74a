import { type lookUpCard as contract, notFound } from '@cardinal/contracts';
import { coalesce } from '@cardinal/runtime';
import type { z } from 'zod';
import type { Handler, Parts } from '../parts.ts';
import { readReferencedCards, toReference } from '../store/card-references.ts';
import { toCard } from '../store/card-rows.ts';
import type { CardKey } from '../store/read-cards.ts';

/** Reads the card half of a lookup by identifier; lookups that arrive together share one query. */
export const lookUpCard = ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> => {
  const lookUps = coalesce<CardKey, z.output<typeof contract.reply>>({
    concurrency: 4,
    run: async (keys) => {
      const rows = await db.read((tx) => readReferencedCards(tx, keys));
      return rows.map((row) => (row ? { card: toCard(row), reference: toReference(row) } : notFound('Card')));
    },
  });
  return (request) => lookUps.submit(request);
};
