import { prepared } from '@cardinal/db';

/** What a workspace's graph holds of a wanted dependency and of its ends. */
export interface Touched {
  /** Which of the wanted ones, from 1. */
  place: number;
  now: Date;
  last_change: number;
  first_position: number;
  last_position: number;
  card_position: number | null;
  card_deleted: boolean;
  needed_position: number | null;
  needed_deleted: boolean;
  /** Those of the dependency, null where there is none. */
  version: number | null;
  created_at: Date | null;
  /** How many cards the dependent card depends on. */
  dependencies: number;
}

/**
 * Reads what wanted dependencies touch, under the workspace's lock; the time is one after all changes before.
 *
 * $1 the workspace, $2 the dependencies, in JSON: of an SQL array the planner would count the elements, and plan anew
 */
export const readGraph = prepared<Touched>(
  'read-graph',
  `select wanted.place, date_trunc('milliseconds', clock_timestamp()) as now,
  workspaces.last_change, workspaces.first_position, workspaces.last_position,
  card.position as card_position, card.deleted_at is not null as card_deleted,
  needed.position as needed_position, needed.deleted_at is not null as needed_deleted,
  edge.version, edge.created_at, counted.dependencies
from workspaces
cross join json_to_recordset($2) as wanted (place integer, card_id uuid, depends_on_card_id uuid)
-- Each by its key: the offsets keep Postgres from passing all of the workspace.
left join lateral (
  select * from cards where cards.workspace_id = $1::uuid and cards.id = wanted.card_id offset 0
) as card on true
left join lateral (
  select * from cards where cards.workspace_id = $1::uuid and cards.id = wanted.depends_on_card_id offset 0
) as needed on true
left join lateral (
  select * from edges
  where edges.workspace_id = $1::uuid and edges.card_id = wanted.card_id
    and edges.depends_on_card_id = wanted.depends_on_card_id
  offset 0
) as edge on true
cross join lateral (
  select count(*)::integer as dependencies from edges
  where edges.workspace_id = $1::uuid and edges.card_id = wanted.card_id
) as counted
where workspaces.workspace_id = $1::uuid`,
);
