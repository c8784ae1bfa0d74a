import type { Bus } from '@cardinal/bus';
import {
  filterBoards,
  findExisting,
  findSubtask,
  notFound,
  projectLinkedFile,
  summarizeCards,
} from '@cardinal/contracts';
import { type FeedDouble, goldenRequest, startFeedDouble, testBus } from '@cardinal/testkit';
import type { LinkEvent } from '../../src/linked-files/linked-files.ts';

/** A stand-in for the card service: tests define which boards, cards and subtasks callers see. */
export interface CardDouble {
  boards: Set<string>;
  /** Cards, and whether their board is deleted. */
  cards: Map<string, { boardDeleted: boolean }>;
  /** Subtasks and their cards. */
  subtasks: Map<string, string>;
  projected: LinkEvent[];
  feed: FeedDouble;
  bus: Bus;
}

const summaries = summarizeCards.reply.parse(goldenRequest(summarizeCards).reply);
const applied = projectLinkedFile.reply.parse(goldenRequest(projectLinkedFile).reply);

/** Starts the stand-in on the bus, with the answers of the card service's golden files. */
export const startCardDouble = async (natsUrl: string): Promise<CardDouble> => {
  const bus = await testBus(natsUrl, 'card');
  const double: CardDouble = {
    boards: new Set(),
    cards: new Map(),
    subtasks: new Map(),
    projected: [],
    feed: startFeedDouble(bus, 'card'),
    bus,
  };
  bus.serve(filterBoards, async ({ board_ids }) => {
    return { board_ids: board_ids.filter((id) => double.boards.has(id)) };
  });
  bus.serve(summarizeCards, async ({ card_ids }) =>
    card_ids.flatMap((id) => {
      const card = double.cards.get(id);
      return card ? summaries.map((shown) => ({ ...shown, id, board_deleted: card.boardDeleted })) : [];
    }),
  );
  bus.serve(findSubtask, async ({ subtask_id }) => {
    const card_id = double.subtasks.get(subtask_id);
    if (!card_id) throw notFound('Subtask');
    return { subtask_id, card_id, board_deleted: double.cards.get(card_id)?.boardDeleted ?? false };
  });
  bus.serve(findExisting, async ({ ids }) => ({
    existing: ids.filter((id) => double.cards.has(id) || double.subtasks.has(id)),
  }));
  bus.serve(projectLinkedFile, async (event) => {
    // On a busy machine the bus delivers it twice.
    if (!double.projected.some(({ id }) => id === event.id)) double.projected.push(event);
    return applied;
  });
  return double;
};
