import { type Caller, type Card, type Document, notFound } from '@cardinal/contracts';
import { prepared, rowsFor } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { visibleTo } from '../boards/queries.ts';
import type { ServiceContext } from '../context.ts';
import type { CardDocuments, StatedCard } from './documents.ts';
import { cardColumns } from './queries.ts';

/** Who wants which card: its id is unique within the workspace. */
export interface CardKey extends Caller {
  card_id: string;
}

/**
 * The card of a row `asked`, if the caller sees its board, which may be deleted. The offset keeps Postgres from passing
 * every card of the workspace, as it did while the statistics of a growing table were still those of a small one.
 */
export const cardAsked = (more: readonly string[] = []) => `cross join lateral (
  select ${[...cardColumns, 'cards.xmin::text as row_xmin', 'workstreams.version as workstream_version', ...more].join(',\n    ')}
  from cards
  join workstreams on workstreams.workspace_id = cards.workspace_id and workstreams.id = cards.workstream_id
  join boards on boards.workspace_id = cards.workspace_id and boards.id = cards.board_id
  where cards.workspace_id = asked.workspace_id and cards.id = asked.card_id
    and ${visibleTo('asked.user_id')}
  offset 0
) as card`;

/** The rows `asked` of `CardKey`s, in $1 (`rowsFor`). */
export const askedCards = `json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, card_id uuid)`;

/** Cards of any workspaces; $1 `CardKey`s (`rowsFor`). */
export const readCards = prepared<StatedCard & { ordinal: number }>(
  'read-cards',
  `select asked.ordinal, card.*\nfrom ${askedCards}\n${cardAsked()}`,
);

/** Queries of one kind under way at once: enough to keep Postgres busy while the next batch fills. */
const concurrency = 2;

/** Reads cards, archived or on a deleted board too. All that are asked for in one tick share one query. */
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
