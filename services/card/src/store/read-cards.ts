import { sql } from 'kysely';
import { type CardRow, cardsWithWorkstreams } from './card-rows.ts';
import type { Reader } from './database.ts';

/** Which card: ids are unique within a workspace. */
export interface CardKey {
  workspace_id: string;
  card_id: string;
}

/**
 * Reads cards of any workspaces in one query.
 * @returns those that exist, each once, in no particular order
 */
export const readCards = (tx: Reader, keys: readonly CardKey[]): Promise<CardRow[]> =>
  cardsWithWorkstreams(tx)
    .where(
      sql<boolean>`(cards.workspace_id, cards.id) in (
        select * from unnest(
          ${keys.map((key) => key.workspace_id)}::uuid[],
          ${keys.map((key) => key.card_id)}::uuid[]
        ))`,
    )
    .execute();
