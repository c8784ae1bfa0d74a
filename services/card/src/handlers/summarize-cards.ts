import type { Caller, summarizeCards as contract } from '@cardinal/contracts';
import { coalesce } from '@cardinal/runtime';
import type { Handler, Parts } from '../parts.ts';
import { type CardSummary, readSummaries } from '../store/card-summaries.ts';

/** A request names up to a thousand cards, so few of them make a query that is large enough. */
const requestsAtOnce = 16;

/**
 * Tells other services which of the cards that they hold ids of the caller sees; requests that arrive together share one
 * query.
 */
export const summarizeCards = ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> => {
  const requests = coalesce<Caller & { card_ids: string[] }, CardSummary[]>({
    concurrency: 4,
    maxBatch: requestsAtOnce,
    run: async (batch) => {
      const keys = batch.flatMap(({ card_ids, ...caller }) =>
        [...new Set(card_ids)].map((card_id) => ({ ...caller, card_id })),
      );
      const summaries = await db.read((tx) => readSummaries(tx, keys));
      return batch.map(({ card_ids }) =>
        summaries.splice(0, new Set(card_ids).size).filter((card) => card !== undefined),
      );
    },
  });
  return (request) => requests.submit(request);
};
