with held as (
  update workspaces set last_change = $2::bigint, first_position = $3::bigint, last_position = $4::bigint
  where workspace_id = $1::uuid
  returning workspace_id
),
placed as (
  insert into cards (workspace_id, id, position)
  select workspace_id, id, position from held cross join json_to_recordset($5) as card (id uuid, position bigint)
  on conflict (workspace_id, id) do update set position = excluded.position
),
linked as (
  insert into edges (workspace_id, card_id, depends_on_card_id, version, created_at)
  select workspace_id, card_id, depends_on_card_id, version, created_at
  from held cross join json_to_recordset($6) as edge (
    card_id uuid, depends_on_card_id uuid, version bigint, created_at timestamptz)
),
appended as (
  insert into outbox (id, workspace_id, subject, event)
  select (event ->> 'id')::uuid, workspace_id, 'evt.' || (event ->> 'type'), event
  from held cross join jsonb_array_elements($7) as event
)
select workspace_id from held
