import { type Caller, type Card, type Document, notFound } from '@cardinal/contracts';
import { prepared, rowsFor } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { visibleTo } from '../boards/queries.ts';
import type { ServiceContext } from '../context.ts';
import type { CardDocuments, StatedCard } from './documents.ts';
import { cardColumns, joinByKey } from './queries.ts';

/** A read of a card by id, for a user. Ids are unique within a workspace. */
export interface CardKey extends Caller {
  card_id: string;
}

/**
 * Makes SQL that reads the card of a row `asked`, if the caller sees its board. The board may be deleted. The offset is
 * an optimizer fence: without it, Postgres scans all cards of the workspace where the statistics of a growing table are
 * old.
 * @param more columns to select besides those of a `StatedCard`
 */
export const cardAsked = (more: readonly string[] = []) => `cross join lateral (
  select ${[...cardColumns, 'cards.xmin::text as row_xmin', 'workstreams.version as workstream_version', ...more].join(',\n    ')}
  from cards
  ${joinByKey('workstreams', 'cards', 'workstream_id')}
  ${joinByKey('boards', 'cards', 'board_id')}
  where cards.workspace_id = asked.workspace_id and cards.id = asked.card_id
    and ${visibleTo('asked.user_id')}
  offset 0
) as card`;

/** SQL of the rows `asked`, from the `CardKey`s in $1 (`rowsFor`). */
export const askedCards = `json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, card_id uuid)`;

/** Reads cards of any workspaces by id; $1 `CardKey`s (`rowsFor`). */
export const readCards = prepared<StatedCard & { ordinal: number }>(
  'read-cards',
  `select asked.ordinal, card.*\nfrom ${askedCards}\n${cardAsked()}`,
);

/** Queries of one kind that run at once: enough to keep Postgres busy while the next batch fills. */
const concurrency = 2;

/**
 * Makes the handler that reads a card by id, also an archived card or one on a deleted board. Reads that arrive in one
 * tick share a query.
 * @param documentsNow the cache of documents
 * @returns the handler; it throws CardinalError `not_found`
 */
export const cardReader = ({ db }: Pick<ServiceContext, 'db'>, documentsNow: () => CardDocuments) => {
  const reads = coalesce<CardKey, Document<Card>>({
    name: 'card_reads',
    concurrency,
    run: async (keys) => {
      const documents = documentsNow();
      const rows = await db.read((tx) => rowsFor(tx, readCards, keys));
      return rows.map((row) => (row ? documents.of(row) : notFound('Card')));
    },
  });
  return reads.submit;
};
