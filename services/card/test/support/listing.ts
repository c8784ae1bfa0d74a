import type { Bus } from '@cardinal/bus';
import { type Card, type CardFilters, type Column, patchCard } from '@cardinal/contracts';
import { expect } from 'vitest';
import { openWorkspace, type Workspace } from './workspace.ts';

/** Reads a list to its end. */
export const walk = async (
  { page }: Workspace,
  boardId: string,
  { limit = 2, filters = {}, between = async () => {} }: Walk = {},
) => {
  const seen: Card[] = [];
  let cursor: string | undefined;
  do {
    const answer = await page(boardId, filters, limit, cursor);
    expect(answer.items.length).toBeLessThanOrEqual(limit);
    seen.push(...answer.items);
    cursor = answer.next_cursor ?? undefined;
    await between(seen);
  } while (cursor);
  return seen;
};
export interface Walk {
  limit?: number;
  filters?: Partial<CardFilters>;
  /** What happens after each page. */
  between?: (seen: Card[]) => Promise<unknown>;
}

/** A board whose cards are A to G from its start; its third column is empty. */
export const setUpBoard = async (bus: Bus) => {
  const workspace = openWorkspace(bus);
  const { board, columns } = await workspace.board('One', 'Two', 'Empty', 'Four');
  const [one, two, , four] = columns as [Column, Column, Column, Column];
  await workspace.cards(one.id, 'C', 'B', 'A');
  await workspace.cards(two.id, 'E', 'D');
  await workspace.cards(four.id, 'G', 'F');
  const card = async (title: string) =>
    (await workspace.page(board.id)).items.find((found) => found.title === title) as Card;
  const edit = async (title: string, body: Parameters<typeof patch>[1]) => patch(await card(title), body);
  const patch = (target: Card, body: { title?: string; due_date?: string; priority?: 'urgent'; completed?: boolean }) =>
    bus.call(patchCard, { ...workspace.order(), card_id: target.id, if_match: [target.version], body });
  return { workspace, board, one, two, four, card, edit };
};
