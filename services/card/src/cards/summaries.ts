import { type Caller, summarizeCards as contract } from '@cardinal/contracts';
import { coalesce } from '@cardinal/runtime';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { summarizeCards as statement } from '../store/statements/summarize-cards.ts';

type Request = Caller & { card_ids: string[] };
type Summary = z.output<typeof contract.reply>[number];

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
    const asked = requests.flatMap((request, of) =>
      [...new Set(request.card_ids)].map((card_id) => ({ ...request, of, card_id })),
    );
    const rows = await db.read((tx) =>
      statement.run(tx, [
        asked.map((one) => one.workspace_id),
        asked.map((one) => one.user_id),
        asked.map((one) => one.card_id),
      ]),
    );
    const answers: Summary[][] = requests.map(() => []);
    for (const { place, completed_at, archived_at, ...row } of rows) {
      answers[asked[place - 1]?.of as number]?.push({
        ...row,
        completed_at: completed_at?.toISOString() ?? null,
        archived_at: archived_at?.toISOString() ?? null,
      });
    }
    return answers;
  };
  const small = coalesce({ name: 'card_summaries', concurrency: 2, run });
  const large = coalesce({ name: 'large_card_summaries', concurrency: 4, maxBatch: largeAtOnce, run });
  bus.serve(contract, (request) => (request.card_ids.length <= fewCards ? small : large).submit(request));
};
