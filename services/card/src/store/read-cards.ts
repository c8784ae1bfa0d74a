import { sql } from 'kysely';
import { type CardRow, cardsWithWorkstreams } from './card-rows.ts';
import type { Reader } from './database.ts';

/** Which card: ids are unique within a workspace. */
export interface CardKey {
  workspace_id: string;
  card_id: string;
}

/** The keys as a table `wanted`, to join laterally with what is looked up by them. */
export const wanted = (keys: readonly CardKey[]) =>
  sql<CardKey>`unnest(
    ${keys.map((key) => key.workspace_id)}::uuid[],
    ${keys.map((key) => key.card_id)}::uuid[]
  )`.as<'wanted'>(sql`wanted (workspace_id, card_id)`);

/**
 * The card of a row of `wanted`. The offset keeps Postgres from joining by workspace first and then passing every card
 * of it, as it did while the statistics of a growing table were still those of a small one.
 */
export const wantedCard = (tx: Reader) =>
  cardsWithWorkstreams(tx)
    .where(sql<boolean>`cards.workspace_id = wanted.workspace_id and cards.id = wanted.card_id`)
    .offset(0);

/**
 * Reads cards of any workspaces in one query.
 * @returns those that exist, one for each key, in no particular order
 */
export const readCards = (tx: Reader, keys: readonly CardKey[]): Promise<CardRow[]> =>
  tx.selectFrom(wanted(keys)).crossJoinLateral(wantedCard(tx).as('card')).selectAll('card').execute();
