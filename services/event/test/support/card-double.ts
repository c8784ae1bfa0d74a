import { filterBoards, seeBoards, summarizeCards } from '@cardinal/contracts';
import { testBus } from '@cardinal/testkit';

/** The card service's side of what the event service asks: tests say who sees which board, and which cards there are. */
export const startCardDouble = async (natsUrl: string) => {
  const bus = await testBus(natsUrl, 'card');
  /** Who sees a board; everybody where it is not in it. */
  const seenBy = new Map<string, string[]>();
  /** Boards that never were. */
  const unknown = new Set<string>();
  /** The board of each card. */
  const cards = new Map<string, string>();
  /** Nobody is told who sees what before this. */
  const answers = { after: Promise.resolve() };
  /** How often it was asked who sees what. */
  const questions = { count: 0 };
  const sees = (board: string, user: string) => seenBy.get(board)?.includes(user) ?? true;
  bus.serve(seeBoards, async ({ user_ids, board_ids }) => {
    questions.count += 1;
    await answers.after;
    return {
      boards: board_ids
        .filter((id) => !unknown.has(id))
        .map((board_id) => ({ board_id, user_ids: user_ids.filter((user) => sees(board_id, user)) })),
    };
  });
  bus.serve(filterBoards, async ({ user_id, board_ids }) => ({
    board_ids: board_ids.filter((id) => !unknown.has(id) && sees(id, user_id)),
  }));
  bus.serve(summarizeCards, async ({ user_id, card_ids }) =>
    card_ids.flatMap((id) => {
      const board_id = cards.get(id);
      if (board_id === undefined || !sees(board_id, user_id)) return [];
      const named = { id, identifier: 'MAIN-1', title: 'a' };
      return { ...named, board_id, completed_at: null, archived_at: null, board_deleted: false };
    }),
  );
  return { seenBy, unknown, cards, answers, questions };
};
