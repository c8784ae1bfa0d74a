import type { Caller } from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import { visibleTo } from '../../boards/visibility.ts';
import type { StatedCard } from '../documents.ts';
import { cardColumns } from '../queries.ts';

/** Who wants which card: its id is unique within the workspace. */
export interface CardKey extends Caller {
  card_id: string;
}

/** Who wants the card of which identifier, in its canonical spelling. */
export interface IdentifierKey extends Caller {
  identifier: string;
}

/** A card and what a lookup adds to it. */
export type ReferencedCard = StatedCard & {
  place: number;
  board_name: string;
  board_archived_at: Date | null;
  board_deleted_at: Date | null;
  dependency_count: number;
  dependent_count: number;
};

/**
 * The card of a row `asked`, if its board is visible to who asks, a deleted board too. The offset keeps Postgres from
 * passing every card of the workspace, as it did while the statistics of a growing table were still those of a small one.
 */
const cardAsked = (more: readonly string[] = []) => `cross join lateral (
  select ${[...cardColumns, 'cards.xmin::text as row_xmin', 'workstreams.version as workstream_version', ...more].join(',\n    ')}
  from cards
  join workstreams on workstreams.workspace_id = cards.workspace_id and workstreams.id = cards.workstream_id
  join boards on boards.workspace_id = cards.workspace_id and boards.id = cards.board_id
  where cards.workspace_id = asked.workspace_id and cards.id = asked.card_id
    and ${visibleTo('asked.user_id')}
  offset 0
) as card`;

/** How many dependencies name the card on one of their two ends, and on the other one a card that still exists. */
const countOf = (end: string, other: string) => `(select count(*)::integer from card_dependencies as edge
      where edge.workspace_id = cards.workspace_id and edge.${end} = cards.id and edge.present
        and exists (select from cards as other where other.workspace_id = edge.workspace_id and other.id = edge.${other}))`;

const reference = [
  'boards.name as board_name',
  'boards.archived_at as board_archived_at',
  'boards.deleted_at as board_deleted_at',
  `${countOf('card_id', 'depends_on_card_id')} as dependency_count`,
  `${countOf('depends_on_card_id', 'card_id')} as dependent_count`,
];

const askedCards = `json_to_recordset($1) as asked (place integer, workspace_id uuid, user_id uuid, card_id uuid)`;

/** Cards of any workspaces; $1 `CardKey`s (`rowsFor`). */
export const readCards = prepared<StatedCard & { place: number }>(
  'read-cards',
  `select asked.place, card.*\nfrom ${askedCards}\n${cardAsked()}`,
);

/** The same with what a lookup adds to them. */
export const lookUpCards = prepared<ReferencedCard>(
  'look-up-cards',
  `select asked.place, card.*\nfrom ${askedCards}\n${cardAsked(reference)}`,
);

/** The same for cards that have an identifier, or had it so lately that the ledger may not know; $1 `IdentifierKey`s. */
export const lookUpIdentifiers = prepared<ReferencedCard>(
  'look-up-identifiers',
  `select asked.place, card.*
from (
  select place, workspace_id, user_id, coalesce(
    (select cards.id from cards
      where cards.workspace_id = asked.workspace_id and cards.identifier = asked.identifier),
    (select issued.card_id from issued
      where issued.workspace_id = asked.workspace_id and issued.identifier = asked.identifier and recorded_at is null)
  ) as card_id
  from json_to_recordset($1) as asked (place integer, workspace_id uuid, user_id uuid, identifier text)
  offset 0
) as asked
${cardAsked(reference)}`,
);
