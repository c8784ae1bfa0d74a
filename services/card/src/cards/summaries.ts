import { type Caller, summarizeCards as contract } from '@cardinal/contracts';
import { resourceOf, rowsFor } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { summarizeCards as statement } from './statements/summarize-cards.ts';

type Request = Caller & { card_ids: string[] };
type Summary = z.output<typeof contract.reply>[number];

const toSummary = resourceOf(contract.reply.element);

/** A request that names no more cards than these is a small one, as those of writers are. */
const fewCards = 4;
/** A large one names up to a thousand, so few of them make a query that is large enough. */
const largeAtOnce = 16;

/**
 * Tells other services which of the cards that they hold ids of the caller sees; requests that arrive together share one
 * query, small ones with their like.
 */
export const serveCardSummaries = ({ bus, db }: ServiceContext): void => {
  const run = async (requests: Request[]): Promise<Summary[][]> => {
    const asked = requests.flatMap(({ workspace_id, user_id, card_ids }, of) =>
      [...new Set(card_ids)].map((card_id) => ({ of, key: { workspace_id, user_id, card_id } })),
    );
    const keys = asked.map(({ key }) => key);
    const rows = await db.read((tx) => rowsFor(tx, statement, keys));
    const answers: Summary[][] = requests.map(() => []);
    rows.forEach((row, index) => {
      if (row) answers[asked[index]?.of as number]?.push(toSummary(row));
    });
    return answers;
  };
  const small = coalesce({ name: 'card_summaries', concurrency: 2, run });
  const large = coalesce({ name: 'large_card_summaries', concurrency: 4, maxBatch: largeAtOnce, run });
  bus.serve(contract, (request) => (request.card_ids.length <= fewCards ? small : large).submit(request));
};
