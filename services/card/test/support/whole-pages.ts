import type { CardFilters } from '@cardinal/contracts';
import { byPlace, type CardInBoard, type PlaceInBoard } from '../../src/cards/orders.ts';
import { type Reach, type Read, readListed } from '../../src/cards/search.ts';

interface PageOfBoard {
  workspaceId: string;
  boardId: string;
  filters: CardFilters;
  after: PlaceInBoard | undefined;
  limit: number;
}

/** Reads the cards of a page of a board, and one more where there are more, while there are no writes. */
export const readWholePage = (read: Read, { after, ...page }: PageOfBoard, reach?: Reach) => {
  const order = (passed?: CardInBoard) => byPlace(page, passed ?? after);
  return readListed(read, { ...page, boards: [page.boardId], order }, reach);
};
