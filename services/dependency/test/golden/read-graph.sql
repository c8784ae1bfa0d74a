select requested.ordinal, date_trunc('milliseconds', clock_timestamp()) as now,
  workspaces.last_change, workspaces.first_position, workspaces.last_position,
  card.position as card_position, card.deleted_at is not null as card_deleted,
  needed.position as needed_position, needed.deleted_at is not null as needed_deleted,
  edge.version, edge.created_at, counted.dependencies
from workspaces
cross join json_to_recordset($2) as requested (ordinal integer, card_id uuid, depends_on_card_id uuid)
-- Each by its key: the offsets keep Postgres from passing all of the workspace.
  left join lateral (
    select * from cards where cards.workspace_id = $1::uuid and cards.id = requested.card_id offset 0
  ) as card on true
  left join lateral (
    select * from cards where cards.workspace_id = $1::uuid and cards.id = requested.depends_on_card_id offset 0
  ) as needed on true
  left join lateral (
    select * from edges
    where edges.workspace_id = $1::uuid and edges.card_id = requested.card_id
      and edges.depends_on_card_id = requested.depends_on_card_id
    offset 0
  ) as edge on true
  cross join lateral (
    select count(*)::integer as dependencies from edges
    where edges.workspace_id = $1::uuid and edges.card_id = requested.card_id
  ) as counted
where workspaces.workspace_id = $1::uuid
