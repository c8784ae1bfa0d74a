import type { Bus } from '@cardinal/bus';
import {
  type Caller,
  CardinalError,
  conflict,
  filterBoards,
  getBoard,
  notFound,
  summarizeCards,
} from '@cardinal/contracts';
import type { StoredFile } from '../domain/file.ts';

/** What a caller may see, as the card service says: it owns the boards (api-decisions, "Files"). */
export interface Sight {
  /** Those of the boards that the caller sees, asked for in one message as long as they are at most 10,000. */
  boards(caller: Caller, boardIds: readonly string[]): Promise<Set<string>>;
  /** @throws CardinalError `not_found` where there is no file, or none that the caller sees */
  requireFile(caller: Caller, file: StoredFile | undefined): Promise<StoredFile>;
  /**
   * @returns a check that throws `conflict` where the card takes no writes
   * @throws CardinalError `not_found` where there is no card, or none that the caller sees
   */
  requireCard(caller: Caller, cardId: string): Promise<{ requireWritable(): void }>;
}

/** @throws CardinalError `conflict` for a card of a deleted board */
export const requireBoard = (isDeleted: boolean): void => {
  if (isDeleted) throw conflict('The board of the card is deleted');
};

/** As many as the contract takes. */
const boardsAtOnce = 10_000;

export const createSight = (bus: Pick<Bus, 'call'>): Sight => {
  const seesBoard = async ({ workspace_id, user_id }: Caller, boardId: string): Promise<boolean> => {
    try {
      await bus.call(getBoard, { workspace_id, user_id, board_id: boardId });
      return true;
    } catch (error) {
      if (error instanceof CardinalError && error.code === 'not_found') return false;
      throw error;
    }
  };

  const boards: Sight['boards'] = async ({ workspace_id, user_id }, boardIds) => {
    const groups = Array.from({ length: Math.ceil(boardIds.length / boardsAtOnce) }, (_, at) =>
      boardIds.slice(at * boardsAtOnce, (at + 1) * boardsAtOnce),
    );
    const answers = await Promise.all(
      groups.map((board_ids) => bus.call(filterBoards, { workspace_id, user_id, board_ids })),
    );
    return new Set(answers.flatMap(({ board_ids }) => board_ids));
  };

  return {
    boards,
    async requireFile(caller, file) {
      if (!file) throw notFound('File');
      if (file.board_id !== null && !(await seesBoard(caller, file.board_id))) throw notFound('File');
      return file;
    },
    async requireCard({ workspace_id, user_id }, cardId) {
      const [found] = await bus.call(summarizeCards, { workspace_id, user_id, card_ids: [cardId] });
      if (!found) throw notFound('Card');
      return { requireWritable: () => requireBoard(found.board_deleted) };
    },
  };
};
