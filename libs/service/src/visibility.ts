import type { Bus } from '@cardinal/bus';
import { type Caller, filterBoards, summarizeCards } from '@cardinal/contracts';
import type { z } from 'zod';

/** The card service's summary of a card that exists and that the caller sees. */
export type CardSummary = z.output<typeof summarizeCards.reply>[number];

/** Most cards in one request: a reply with the longest titles fits into a message. */
export const cardsAtOnce = 500;
/** The most that the contract accepts. */
const boardsAtOnce = 10_000;

/**
 * Asks the card service, which owns the boards, what a caller sees (CONTRACT 2.4). Never call it inside a transaction.
 * Both functions throw CardinalError `unavailable` where the card service does not answer.
 */
export const createVisibility = (bus: Pick<Bus, 'call'>) => ({
  /** @returns by id, those of the cards that exist and that the caller sees */
  cards: async ({ workspace_id, user_id }: Caller, cardIds: readonly string[]): Promise<Map<string, CardSummary>> => {
    const ask = (card_ids: string[]) => bus.call(summarizeCards, { workspace_id, user_id, card_ids });
    const answers = await Promise.all(chunksOf(cardIds, cardsAtOnce).map(ask));
    return new Map(answers.flat().map((summary) => [summary.id, summary]));
  },
  /** @returns those of the boards that exist and that the caller sees */
  boards: async ({ workspace_id, user_id }: Caller, boardIds: readonly string[]): Promise<Set<string>> => {
    const ask = (board_ids: string[]) => bus.call(filterBoards, { workspace_id, user_id, board_ids });
    const answers = await Promise.all(chunksOf(boardIds, boardsAtOnce).map(ask));
    return new Set(answers.flatMap(({ board_ids }) => board_ids));
  },
});

const chunksOf = (ids: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));
