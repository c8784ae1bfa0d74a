import type { summarizeCards } from '@cardinal/contracts';
import type { z } from 'zod';
import type { Reader } from './database.ts';
import { type CardKey, placed, wanted, wantedCard } from './read-cards.ts';

/** What other services may show of a card. */
export type CardSummary = z.output<typeof summarizeCards.reply>[number];

/**
 * Reads summaries of cards of any workspaces in one query.
 * @returns one entry for each key, in its position; undefined where there is no such card, or none that the user sees
 */
export const readSummaries = async (tx: Reader, keys: readonly CardKey[]): Promise<(CardSummary | undefined)[]> => {
  const card = wantedCard(tx).select('boards.deleted_at as board_deleted_at').as('card');
  const rows = await tx
    .selectFrom(wanted(keys))
    .crossJoinLateral(card)
    .select(['wanted.place', 'card.id', 'card.identifier', 'card.title', 'card.board_id'])
    .select(['card.completed_at', 'card.archived_at', 'card.board_deleted_at'])
    .execute();
  return placed(keys, rows).map(
    (row) =>
      row && {
        id: row.id,
        identifier: row.identifier,
        title: row.title,
        board_id: row.board_id,
        completed_at: row.completed_at?.toISOString() ?? null,
        archived_at: row.archived_at?.toISOString() ?? null,
        board_deleted: row.board_deleted_at !== null,
      },
  );
};
