import { type Bus, connectBus } from '@cardinal/bus';
import { findSubtask, getBoard, notFound, projectLinkedFile, summarizeCards } from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import type { LinkEvent } from '../../src/writing/events.ts';

const time = '2026-01-02T03:04:05.678Z';

/** The card service's side of the contracts: tests say which boards, cards and subtasks callers see. */
export interface CardDouble {
  boards: Set<string>;
  /** Cards, and whether their board is deleted. */
  cards: Map<string, { boardDeleted: boolean }>;
  /** Subtasks and their cards. */
  subtasks: Map<string, string>;
  projected: LinkEvent[];
  bus: Bus;
}

/** Stands in for the card service on the bus. */
export const startCardDouble = async (natsUrl: string): Promise<CardDouble> => {
  const bus = await connectBus({
    url: natsUrl,
    name: 'card',
    logger: createLogger({ service: 'card', level: 'silent' }),
  });
  const double: CardDouble = { boards: new Set(), cards: new Map(), subtasks: new Map(), projected: [], bus };
  bus.serve(getBoard, async ({ board_id, user_id }) => {
    if (!double.boards.has(board_id)) throw notFound('Board');
    return {
      id: board_id,
      type: 'board' as const,
      version: 1,
      name: 'Payments',
      visibility: 'private' as const,
      default_workstream_id: null,
      archived_at: null,
      created_by: user_id,
      created_at: time,
      updated_at: time,
    };
  });
  bus.serve(summarizeCards, async ({ card_ids }) =>
    card_ids.flatMap((id) => {
      const card = double.cards.get(id);
      const shown = { id, identifier: 'MAIN-1', title: 'x', board_id: id, completed_at: null, archived_at: null };
      return card ? [{ ...shown, board_deleted: card.boardDeleted }] : [];
    }),
  );
  bus.serve(findSubtask, async ({ subtask_id }) => {
    const card_id = double.subtasks.get(subtask_id);
    if (!card_id) throw notFound('Subtask');
    return { subtask_id, card_id, board_deleted: double.cards.get(card_id)?.boardDeleted ?? false };
  });
  bus.serve(projectLinkedFile, async (event) => {
    double.projected.push(event);
    return { applied: true };
  });
  return double;
};
