import type { Bus } from '@cardinal/bus';
import {
  type Card,
  type CardFilters,
  type Column,
  createBoard,
  createCard,
  createColumn,
  getCard,
  listCards,
  type MoveCardBody,
  moveCard,
} from '@cardinal/contracts';
import { v7 } from 'uuid';

/**
 * What a client of one workspace does again and again.
 * @param workspace_id an existing one, to come as another user of it
 */
export const openWorkspace = (bus: Bus, workspace_id = v7()) => {
  const who = { workspace_id, user_id: v7() };
  /** The head of a new mutation. */
  const order = () => ({ ...who, command: { id: v7(), fingerprint: v7() } });

  const board = async (...names: string[]) => {
    const { resource } = await bus.call(createBoard, { ...order(), body: { name: 'Board' } });
    const columns: Column[] = [];
    for (const name of names) {
      const made = await bus.call(createColumn, { ...order(), board_id: resource.id, body: { name } });
      columns.push(made.resource);
    }
    return { board: resource, columns };
  };

  /** Makes cards one after the other; the last lands on top. */
  const cards = async (columnId: string, ...titles: string[]) => {
    const made: Card[] = [];
    for (const title of titles) {
      const { resource } = await bus.call(createCard, { ...order(), column_id: columnId, body: { title } });
      made.push(resource);
    }
    return made;
  };

  const page = (boardId: string, filters: Partial<CardFilters> = {}, limit = 100, cursor?: string) =>
    bus.call(listCards, {
      ...who,
      board_id: boardId,
      filters: { archived: false, ...filters },
      page: { limit, cursor },
    });

  /** The titles of a list, from the top. */
  const titles = async (boardId: string, filters: Partial<CardFilters> = {}) =>
    (await page(boardId, filters)).items.map((card) => card.title);

  const read = (cardId: string) => bus.call(getCard, { ...who, card_id: cardId });

  /** Moves a card as a client does who has just read it. */
  const move = async (cardId: string, body: MoveCardBody) => {
    const { version } = await read(cardId);
    const { resource } = await bus.call(moveCard, { ...order(), card_id: cardId, if_match: [version], body });
    return resource;
  };

  return { who, order, board, cards, page, titles, read, move };
};

export type Workspace = ReturnType<typeof openWorkspace>;
