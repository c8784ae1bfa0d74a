import {
  type Caller,
  type Card,
  cardReference,
  Document,
  formatIdentifier,
  type lookUpCard,
  notFound,
  parseIdentifier,
} from '@cardinal/contracts';
import { type PreparedStatement, prepared, resourceOf, rowsFor } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import type { z } from 'zod';
import { visibleTo } from '../boards/queries.ts';
import type { ServiceContext } from '../context.ts';
import type { CardDocuments, StatedCard } from './documents.ts';
import { cardColumns } from './queries.ts';

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
  ordinal: number;
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

const askedCards = `json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, card_id uuid)`;

/** Cards of any workspaces; $1 `CardKey`s (`rowsFor`). */
export const readCards = prepared<StatedCard & { ordinal: number }>(
  'read-cards',
  `select asked.ordinal, card.*\nfrom ${askedCards}\n${cardAsked()}`,
);

/** The same with what a lookup adds to them. */
export const lookUpCards = prepared<ReferencedCard>(
  'look-up-cards',
  `select asked.ordinal, card.*\nfrom ${askedCards}\n${cardAsked(reference)}`,
);

/** The same for cards that have an identifier, or had it so lately that the ledger may not know; $1 `IdentifierKey`s. */
export const lookUpIdentifiers = prepared<ReferencedCard>(
  'look-up-identifiers',
  `select asked.ordinal, card.*
from (
  select ordinal, workspace_id, user_id, coalesce(
    (select cards.id from cards
      where cards.workspace_id = asked.workspace_id and cards.identifier = asked.identifier),
    (select issued.card_id from issued
      where issued.workspace_id = asked.workspace_id and issued.identifier = asked.identifier and recorded_at is null)
  ) as card_id
  from json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, identifier text)
  offset 0
) as asked
${cardAsked(reference)}`,
);

type LookUp = z.output<typeof lookUpCard.reply>;

const toReference = resourceOf(cardReference);

/** Reads cards, archived or on a deleted board too. All that are asked for in one tick share one query. */
export const cardReader = ({ db }: Pick<ServiceContext, 'db'>, documentsNow: () => CardDocuments) => {
  const readsBy = <Key extends object, Row extends { ordinal: number }, Reply>(
    name: string,
    statement: PreparedStatement<Row>,
    concurrency: number,
    documentOf: (row: Row, documents: CardDocuments) => Document<Reply>,
  ) =>
    coalesce<Key, Document<Reply>>({
      name,
      concurrency,
      run: async (keys) => {
        const documents = documentsNow();
        const rows = await db.read((tx) => rowsFor(tx, statement, keys));
        return rows.map((row) => (row ? documentOf(row, documents) : notFound('Card')));
      },
    });
  // Queries under way at once: enough to keep Postgres busy while the next batch fills.
  const [reads, lookUps] = [2, 4];
  type CardRow = StatedCard & { ordinal: number };
  const cards = readsBy<CardKey, CardRow, Card>('card_reads', readCards, reads, (row, { of }) => of(row));
  const byId = readsBy<CardKey, ReferencedCard, LookUp>('card_lookups', lookUpCards, lookUps, lookUpOf);
  const byIdentifier = readsBy<IdentifierKey, ReferencedCard, LookUp>(
    'identifier_lookups',
    lookUpIdentifiers,
    lookUps,
    lookUpOf,
  );

  return {
    read: cards.submit,

    /** The card half of a lookup by identifier. */
    lookUp: byId.submit,

    /** The whole of a lookup by an identifier that is current, or that the ledger may not know yet. */
    lookUpIdentifier: async ({ identifier, ...by }: IdentifierKey) => {
      const parsed = parseIdentifier(identifier);
      if (!parsed) throw notFound('Card');
      return byIdentifier.submit({ ...by, identifier: formatIdentifier(parsed.prefix, parsed.number) });
    },
  };
};

/** A card with what a lookup adds to it (specification, "Identifier lookup result"). */
const lookUpOf = (row: ReferencedCard, documents: CardDocuments): Document<LookUp> => {
  // A deleted card leaves no row: its identifiers answer 404.
  const reference = JSON.stringify(toReference({ ...row, deleted_at: null }));
  const text = `{"card":${documents.of(row).text},"reference":${reference}}`;
  return new Document({ id: row.id, identifier: row.identifier }, text);
};
