import type { Caller, cardReference } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { CardRow } from './card-rows.ts';
import type { Reader } from './database.ts';
import { type CardKey, placed, wanted, wantedCard } from './read-cards.ts';

/** A card and what a lookup adds to it. */
export type ReferencedCard = CardRow & {
  board_name: string;
  board_archived_at: Date | null;
  board_deleted_at: Date | null;
  dependency_count: number;
  dependent_count: number;
};

/**
 * Reads cards of any workspaces, with their boards and the number of their dependencies, in one query.
 * @returns one entry for each key, in its position; undefined where there is no such card, or none that the user sees
 */
export const readReferencedCards = async (
  tx: Reader,
  keys: readonly CardKey[],
): Promise<(ReferencedCard | undefined)[]> => {
  const query = tx.selectFrom(wanted(keys)).crossJoinLateral(referencedCard(tx).as('card'));
  return placed(keys, await query.selectAll('card').select('wanted.place').execute());
};

/** The same for the cards that have an identifier, or had it so lately that the ledger may not know. */
export const readCardsOfIdentifiers = async (
  tx: Reader,
  keys: readonly (Caller & { identifier: string })[],
): Promise<(ReferencedCard | undefined)[]> => {
  const found = sql<CardKey & { place: number }>`(
    select workspace_id, user_id, place, coalesce(
      (select cards.id from cards
        where cards.workspace_id = asked.workspace_id and cards.identifier = asked.identifier),
      (select issued.card_id from issued
        where issued.workspace_id = asked.workspace_id and issued.identifier = asked.identifier
          and recorded_at is null)) as card_id
    from unnest(
      ${keys.map((key) => key.workspace_id)}::uuid[],
      ${keys.map((key) => key.user_id)}::uuid[],
      ${keys.map((key) => key.identifier)}::text[]
    ) with ordinality as asked (workspace_id, user_id, identifier, place))`.as<'wanted'>(sql`wanted`);
  const query = tx.selectFrom(found).crossJoinLateral(referencedCard(tx).as('card'));
  return placed(keys, await query.selectAll('card').select('wanted.place').execute());
};

const referencedCard = (tx: Reader) =>
  wantedCard(tx).select([
    'boards.name as board_name',
    'boards.archived_at as board_archived_at',
    'boards.deleted_at as board_deleted_at',
    countOf('card_id').as('dependency_count'),
    countOf('depends_on_card_id').as('dependent_count'),
  ]);

/** How many dependencies name the card on one of their two ends, and on the other one a card that still exists. */
const countOf = (end: 'card_id' | 'depends_on_card_id') =>
  sql<number>`(select count(*)::integer from card_dependencies as edge
    where edge.workspace_id = cards.workspace_id and ${sql.ref(`edge.${end}`)} = cards.id and edge.present
      and exists (select from cards as other where other.workspace_id = edge.workspace_id
        and other.id = ${sql.ref(end === 'card_id' ? 'edge.depends_on_card_id' : 'edge.card_id')}))`;

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
