import {
  type lookUpIdentifier as byIdentifier,
  type lookUpCard as contract,
  formatIdentifier,
  notFound,
  parseIdentifier,
} from '@cardinal/contracts';
import { coalesce } from '@cardinal/runtime';
import type { z } from 'zod';
import type { Handler, Parts } from '../parts.ts';
import {
  type ReferencedCard,
  readCardsOfIdentifiers,
  readReferencedCards,
  toReference,
} from '../store/card-references.ts';
import { toCard } from '../store/card-rows.ts';

type Reply = z.output<typeof contract.reply>;

const concurrency = 4;

const toReply = (row: ReferencedCard | undefined): Reply | Error =>
  row ? { card: toCard(row), reference: toReference(row) } : notFound('Card');

/** Reads the card half of a lookup by identifier; lookups that arrive together share one query. */
export const lookUpCard = ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> => {
  const lookUps = coalesce<z.output<typeof contract.request>, Reply>({
    concurrency,
    run: async (keys) => (await db.read((tx) => readReferencedCards(tx, keys))).map(toReply),
  });
  return (request) => lookUps.submit(request);
};

/** The whole of a lookup by an identifier that is current, or that the ledger may not know yet. */
export const lookUpIdentifier = ({ db }: Pick<Parts, 'db'>): Handler<typeof byIdentifier> => {
  const lookUps = coalesce<z.output<typeof byIdentifier.request>, Reply>({
    concurrency,
    run: async (keys) => (await db.read((tx) => readCardsOfIdentifiers(tx, keys))).map(toReply),
  });
  return async ({ identifier, ...by }) => {
    const parsed = parseIdentifier(identifier);
    if (!parsed) throw notFound('Card');
    return lookUps.submit({ ...by, identifier: formatIdentifier(parsed.prefix, parsed.number) });
  };
};
