import { prepared } from '@cardinal/db';

/**
 * Writes what changed in a graph, with its events, if the workspace's last change is still the one that was read; else
 * nothing. Whatever changes a graph counts as a change of its workspace, so what was read holds until then.
 *
 * $1 the workspace, $2 its last change as it was read, $3 the last one now, $4 and $5 the bounds of the order, $6 places,
 * $7 new dependencies, $8 events
 * @returns one row where it was written
 */
export const writeGraph = prepared<{ workspace_id: string }>(
  'write-graph',
  `with held as (
  update workspaces set last_change = $3::bigint, first_position = $4::bigint, last_position = $5::bigint
  where workspace_id = $1::uuid and last_change = $2::bigint
  returning workspace_id
),
placed as (
  insert into cards (workspace_id, id, position)
  select workspace_id, id, position from held cross join json_to_recordset($6) as place (id uuid, position bigint)
  on conflict (workspace_id, id) do update set position = excluded.position
),
linked as (
  insert into edges (workspace_id, card_id, depends_on_card_id, version, created_at)
  select workspace_id, card_id, depends_on_card_id, version, created_at
  from held cross join json_to_recordset($7) as edge (
    card_id uuid, depends_on_card_id uuid, version bigint, created_at timestamptz)
),
told as (
  insert into outbox (id, workspace_id, subject, event)
  select (event ->> 'id')::uuid, workspace_id, 'evt.' || (event ->> 'type'), event
  from held cross join jsonb_array_elements($8) as event
)
select workspace_id from held`,
);
