import type { Caller } from '@cardinal/contracts';
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

/** An edit that was not made: its card, who wanted it, and by which command. */
export interface EditToExplain extends Caller {
  card_id: string;
  command_id: string;
}

/** Reads what may stand against edits, all that a batch asks for at once; $1 the edits (`rowsFor`). */
export const explainEdits = prepared<EditObstacles>(
  'explain-edits',
  `select asked.place, card.*
from json_to_recordset($1) as asked (place integer, workspace_id uuid, user_id uuid, card_id uuid, command_id uuid)
-- Each by its key: the offset keeps Postgres from passing everything of the workspace.
cross join lateral (
  select cards.version, cards.workstream_id, boards.deleted_at as board_deleted_at,
    cards.archived_at is not null and columns.archived_at is not null as in_archived_column,
    commands.fingerprint, commands.response
  from cards
  join columns on columns.workspace_id = cards.workspace_id and columns.id = cards.column_id
  join boards on boards.workspace_id = cards.workspace_id and boards.id = cards.board_id
  left join commands on commands.workspace_id = asked.workspace_id and commands.id = asked.command_id
  where cards.workspace_id = asked.workspace_id and cards.id = asked.card_id
    and ${visibleTo('asked.user_id')}
  offset 0
) as card`,
);
