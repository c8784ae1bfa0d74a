import type { cardReference } from '@cardinal/contracts';
import type { z } from 'zod';
import type { StatedCard } from './card-documents.ts';

/** A card and what a lookup adds to it. */
export type ReferencedCard = StatedCard & {
  board_name: string;
  board_archived_at: Date | null;
  board_deleted_at: Date | null;
  dependency_count: number;
  dependent_count: number;
};

/** What a lookup adds to the card (specification, "Identifier lookup result"). */
export const toReference = (row: ReferencedCard): z.output<typeof cardReference> => ({
  board_name: row.board_name,
  board_archived_at: row.board_archived_at?.toISOString() ?? null,
  board_deleted_at: row.board_deleted_at?.toISOString() ?? null,
  // A deleted card leaves no row: its identifiers answer 404.
  deleted_at: null,
  dependency_count: row.dependency_count,
  dependent_count: row.dependent_count,
});
