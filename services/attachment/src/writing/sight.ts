import type { Bus } from '@cardinal/bus';
import { type Caller, CardinalError, conflict, getBoard, notFound, summarizeCards } from '@cardinal/contracts';
import type { StoredFile } from '../domain/file.ts';

/** What a caller may see, as the card service says: it owns the boards (api-decisions, "Files"). */
export interface Sight {
  /** Those of the boards that the caller sees. */
  boards(caller: Caller, boardIds: (string | null)[]): Promise<Set<string>>;
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

  const boards = async (caller: Caller, boardIds: (string | null)[]) => {
    const asked = [...new Set(boardIds.filter((id) => id !== null))];
    const seen = await Promise.all(asked.map((id) => seesBoard(caller, id)));
    return new Set(asked.filter((_, at) => seen[at]));
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
