import type { Card } from '@cardinal/contracts';
import type { Selectable } from 'kysely';
import type { Reader, Tables } from './database.ts';

/** A card as it is stored, without what Postgres makes of it for searching. */
type StoredCard = Omit<Selectable<Tables['cards']>, 'title_folded'>;

/** The same with what the projection says of its workstream. */
export type CardRow = StoredCard & { workstream_name: string; workstream_prefix: string };

/** The select list of a `CardRow`, for a query from `cards` joined with `workstreams`. */
export const cardColumns = [
  'cards.workspace_id',
  'cards.id',
  'cards.version',
  'cards.board_id',
  'cards.column_id',
  'cards.position',
  'cards.title',
  'cards.description',
  'cards.due_date',
  'cards.priority',
  'cards.completed_at',
  'cards.archived_at',
  'cards.created_by',
  'cards.created_at',
  'cards.updated_at',
  'cards.assignee_user_ids',
  'cards.label_ids',
  'cards.subtask_total',
  'cards.subtask_completed',
  'cards.comment_count',
  'cards.workstream_id',
  'cards.identifier',
  'workstreams.name as workstream_name',
  'workstreams.prefix as workstream_prefix',
] as const;

/** Every card with its workstream; the caller narrows it, first of all to a workspace. */
const cardsWithWorkstreams = (tx: Reader) =>
  tx
    .selectFrom('cards')
    .innerJoin('workstreams', (join) =>
      join
        .onRef('workstreams.workspace_id', '=', 'cards.workspace_id')
        .onRef('workstreams.id', '=', 'cards.workstream_id'),
    )
    .select(cardColumns);

/** The same, joined with the board that each card stands on. */
export const cardsWithBoards = (tx: Reader) =>
  cardsWithWorkstreams(tx).innerJoin('boards', (join) =>
    join.onRef('boards.workspace_id', '=', 'cards.workspace_id').onRef('boards.id', '=', 'cards.board_id'),
  );

const moment = (value: Date | null) => value?.toISOString() ?? null;

/** The card as clients see it (specification, "Card"). */
export const toCard = (row: CardRow): Card => ({
  id: row.id,
  type: 'card',
  version: row.version,
  board_id: row.board_id,
  column_id: row.column_id,
  title: row.title,
  description: row.description,
  position: row.position,
  due_date: moment(row.due_date),
  // The table's check constraint admits no other value.
  priority: row.priority as Card['priority'],
  completed_at: moment(row.completed_at),
  archived_at: moment(row.archived_at),
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  assignee_user_ids: row.assignee_user_ids,
  label_ids: row.label_ids,
  subtask_total: row.subtask_total,
  subtask_completed: row.subtask_completed,
  comment_count: row.comment_count,
  identifier: row.identifier,
  workstream: { id: row.workstream_id, name: row.workstream_name, prefix: row.workstream_prefix },
});
