import type { Caller } from '@cardinal/contracts';
import { sql } from 'kysely';
import { type CardRow, cardsWithBoards } from './card-rows.ts';
import type { Reader } from './database.ts';
import { boardVisibleTo } from './visibility.ts';

/** Who wants which card: its id is unique within the workspace. */
export interface CardKey extends Caller {
  card_id: string;
}

/** The keys as a table `wanted`, to join laterally with what is looked up by them; `place` counts them from 1. */
export const wanted = (keys: readonly CardKey[]) =>
  sql<CardKey & { place: number }>`unnest(
    ${keys.map((key) => key.workspace_id)}::uuid[],
    ${keys.map((key) => key.user_id)}::uuid[],
    ${keys.map((key) => key.card_id)}::uuid[]
  ) with ordinality`.as<'wanted'>(sql`wanted (workspace_id, user_id, card_id, place)`);

/**
 * The card of a row of `wanted`, if its board is visible to who wants it. The offset keeps Postgres from joining by workspace first and then passing every card
 * of it, as it did while the statistics of a growing table were still those of a small one.
 */
export const wantedCard = (tx: Reader) =>
  cardsWithBoards(tx)
    .where(sql<boolean>`cards.workspace_id = wanted.workspace_id and cards.id = wanted.card_id`)
    .where(boardVisibleTo(sql.ref('wanted.user_id')))
    .offset(0);

/**
 * Reads cards of any workspaces in one query.
 * @returns one entry for each key, in its position; undefined where there is no such card, or none that the user sees
 */
export const readCards = async (tx: Reader, keys: readonly CardKey[]): Promise<(CardRow | undefined)[]> =>
  placed(
    keys,
    await tx
      .selectFrom(wanted(keys))
      .crossJoinLateral(wantedCard(tx).as('card'))
      .selectAll('card')
      .select('wanted.place')
      .execute(),
  );

/** Rows in the positions of the keys that they were found by. */
export const placed = <Row extends { place: number }>(keys: readonly unknown[], rows: readonly Row[]) => {
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return keys.map((_, index) => byPlace.get(index + 1));
};
