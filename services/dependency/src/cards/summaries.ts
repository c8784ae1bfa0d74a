import type { Bus } from '@cardinal/bus';
import { type Caller, summarizeCards } from '@cardinal/contracts';
import type { z } from 'zod';

/** What the card service says of a card that exists and that the caller sees. */
export type Summary = z.output<typeof summarizeCards.reply>[number];

/** Cards asked about at once: a reply with the longest titles still fits into one message of the bus. */
export const summariesAtOnce = 500;

/**
 * Asks the card service about cards; never inside a transaction.
 * @returns by id, those that exist and that the caller sees
 * @throws CardinalError `unavailable` where the card service does not answer
 */
export const summariesOf = async (
  bus: Pick<Bus, 'call'>,
  { workspace_id, user_id }: Caller,
  cardIds: string[],
): Promise<Map<string, Summary>> => {
  const groups = Array.from({ length: Math.ceil(cardIds.length / summariesAtOnce) }, (_, at) =>
    cardIds.slice(at * summariesAtOnce, (at + 1) * summariesAtOnce),
  );
  const answers = await Promise.all(
    groups.map((card_ids) => bus.call(summarizeCards, { workspace_id, user_id, card_ids })),
  );
  return new Map(answers.flat().map((summary) => [summary.id, summary]));
};
