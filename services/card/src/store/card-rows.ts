import { type Card, card as cardSchema } from '@cardinal/contracts';
import { resourceOf } from '@cardinal/db';
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

const present = resourceOf(cardSchema);

/** The card as clients see it (specification, "Card"). */
export const toCard = (row: CardRow): Card =>
  present({ ...row, workstream: { id: row.workstream_id, name: row.workstream_name, prefix: row.workstream_prefix } });
