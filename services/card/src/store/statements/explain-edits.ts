import { prepared } from '@cardinal/db';
import { visibleTo } from '../../boards/visibility.ts';

/** What may stand against the edit of a card that its writer sees, and what became of the writer's command. */
export interface EditObstacles {
  place: number;
  version: number;
  workstream_id: string;
  board_deleted_at: Date | null;
  /** The card is archived, and so is its column. */
  in_archived_column: boolean;
  /** Those of an equal command that ended before; null where there was none. */
  fingerprint: string | null;
  response: unknown;
}

/**
 * Reads what may stand against edits, all that a batch asks for at once.
 *
 * $1 the workspace, $2 cards, $3 the users who want to change them, $4 their commands
 */
export const explainEdits = prepared<EditObstacles>(
  'explain-edits',
  `select asked.place::integer, cards.version, cards.workstream_id, boards.deleted_at as board_deleted_at,
  cards.archived_at is not null and columns.archived_at is not null as in_archived_column,
  commands.fingerprint, commands.response
from unnest($2::uuid[], $3::uuid[], $4::uuid[]) with ordinality as asked (card_id, user_id, command_id, place)
-- Each by its key: the offset keeps Postgres from passing all cards of the workspace.
cross join lateral (
  select * from cards where cards.workspace_id = $1::uuid and cards.id = asked.card_id offset 0
) as cards
join columns on columns.workspace_id = $1::uuid and columns.id = cards.column_id
join boards on boards.workspace_id = $1::uuid and boards.id = cards.board_id
left join commands on commands.workspace_id = $1::uuid and commands.id = asked.command_id
where ${visibleTo('asked.user_id')}`,
);
