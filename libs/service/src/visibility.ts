import type { Bus } from '@cardinal/bus';
import { type Caller, filterBoards, summarizeCards } from '@cardinal/contracts';
import type { z } from 'zod';

/** What the card service says of a card that exists and that the caller sees. */
export type CardSummary = z.output<typeof summarizeCards.reply>[number];

/** Cards asked about in one message: a reply with the longest titles still fits into it. */
export const cardsAtOnce = 500;
/** As many as the contract takes. */
const boardsAtOnce = 10_000;

/**
 * What callers see, from the card service, which owns the boards (CONTRACT 2.4). Never call it
 * inside a transaction. Both throw CardinalError `unavailable` where it does not answer.
 */
export const createVisibility = (bus: Pick<Bus, 'call'>) => ({
  /** Of the cards named, those that exist and that the caller sees, by id. */
  cards: async ({ workspace_id, user_id }: Caller, cardIds: readonly string[]): Promise<Map<string, CardSummary>> => {
    const ask = (card_ids: string[]) => bus.call(summarizeCards, { workspace_id, user_id, card_ids });
    const answers = await Promise.all(chunksOf(cardIds, cardsAtOnce).map(ask));
    return new Map(answers.flat().map((summary) => [summary.id, summary]));
  },
  /** Of the boards named, those that exist and that the caller sees. */
  boards: async ({ workspace_id, user_id }: Caller, boardIds: readonly string[]): Promise<Set<string>> => {
    const ask = (board_ids: string[]) => bus.call(filterBoards, { workspace_id, user_id, board_ids });
    const answers = await Promise.all(chunksOf(boardIds, boardsAtOnce).map(ask));
    return new Set(answers.flatMap(({ board_ids }) => board_ids));
  },
});

const chunksOf = (ids: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));
