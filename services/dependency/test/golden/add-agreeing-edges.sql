with touched as materialized (
  select requested.*, card.position as card_position, needed.position as needed_position,
    card.deleted_at is not null or needed.deleted_at is not null as gone,
    edge.version, edge.created_at, counted.dependencies
  from json_to_recordset($2) as requested (
    ordinal integer, card_id uuid, depends_on_card_id uuid, event jsonb,
    change_id uuid, type text, board_id uuid, other_board_id uuid, heard text)
  -- OFFSET 0 is an optimizer fence: each row is found by its key, not by a scan of the workspace.
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
),
-- Of equal requests in a batch the second one finds the dependency of the first.
fresh as (
  select *, row_number() over (partition by card_id order by ordinal) as nth
  from (
    select distinct on (card_id, depends_on_card_id) * from touched where not gone and version is null
    order by card_id, depends_on_card_id, ordinal
  ) as first_requested
),
added as materialized (
  select *, row_number() over (order by ordinal) as change from fresh where dependencies + nth <= $3::integer
),
-- A card without a position has no dependencies, so it may go to either end: a dependent card after all others, the other card
-- before them. Then few later dependencies go against the order.
newcomers as materialized (
  select card_id as id, row_number() over (order by min(ordinal)) as nth, 1 as side
  from added where card_position is null group by card_id
  union all
  select depends_on_card_id, row_number() over (order by min(ordinal)), -1
  from added where needed_position is null group by depends_on_card_id
),
decided as materialized (
  -- The time of now, not of the beginning of the transaction: lists are sorted by version, and times rise with it.
  select last_change, first_position, last_position, date_trunc('milliseconds', clock_timestamp()) as at,
    (select count(*) from added) as additions
  from workspaces
  where workspace_id = $1::uuid
    and not exists (select from added where needed_position >= card_position)
    and not exists (select from newcomers group by id having count(*) > 1)
),
held as (
  update workspaces set last_change = decided.last_change + decided.additions,
    first_position = decided.first_position - (select count(*) from newcomers where side = -1),
    last_position = decided.last_position + (select count(*) from newcomers where side = 1)
  from decided
  where workspaces.workspace_id = $1::uuid and workspaces.last_change = decided.last_change and decided.additions > 0
  returning decided.*
),
placed as (
  insert into cards (workspace_id, id, position)
  select $1::uuid, id, case side when 1 then last_position + nth else first_position - nth end
  from held cross join newcomers
),
linked as (
  insert into edges (workspace_id, card_id, depends_on_card_id, version, created_at)
  select $1::uuid, card_id, depends_on_card_id, last_change + change, at from held cross join added
),
internal as materialized (
  select change as ordinal, (event ->> 'id')::uuid as id, (event || jsonb_build_object(
    'aggregate_version', last_change + change,
    'occurred_at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::json as event
  from held cross join added
),
news as materialized (
  select change as ordinal, change_id as id, type, card_id, board_id, other_board_id,
    replace(heard, event ->> 'id', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as event
  from held cross join added
),
feed as (
  insert into feeds as feed (workspace_id, last, last_id, noted_at, last_internal, last_internal_id)
  select $1::uuid, of_changes.count, of_changes.id, clock_timestamp(), of_internal.count, of_internal.id
  from (select count(*) as count, (array_agg(id order by ordinal desc))[1] as id from news) as of_changes, (select count(*) as count, (array_agg(id order by ordinal desc))[1] as id from internal) as of_internal
  where of_changes.count + of_internal.count > 0
  on conflict (workspace_id) do update set last = feed.last + excluded.last, before_id = feed.last_id,
    last_id = coalesce(excluded.last_id, feed.last_id),
    noted_at = greatest(clock_timestamp(), feed.noted_at + interval '1 microsecond'),
    last_internal = feed.last_internal + excluded.last_internal,
    last_internal_id = coalesce(excluded.last_internal_id, feed.last_internal_id)
  returning last, before_id, noted_at, last_internal
),
noted as (
  insert into changes (workspace_id, seq, id, previous_id, noted_at, type, card_id, board_id, other_board_id, event)
  select $1::uuid, last - count(*) over () + row_number() over in_order, id,
    coalesce(lag(id) over in_order, before_id), noted_at, type, card_id, board_id, other_board_id, event::json
  from news cross join feed
  window in_order as (order by ordinal)
),
kept as (
  insert into internal_events (workspace_id, seq, id, noted_at, event)
  select $1::uuid, last_internal - count(*) over () + row_number() over (order by ordinal), id, noted_at, event
  from internal cross join feed
)
select touched.ordinal, case
    when touched.gone then 'gone'
    when added.ordinal = touched.ordinal then 'added'
    when added.ordinal is null and touched.version is null then 'full'
    else 'there'
  end as result,
  coalesce(touched.version, decided.last_change + added.change) as version,
  case when added.ordinal is null then touched.created_at else decided.at end as created_at
from decided
cross join touched
left join added using (card_id, depends_on_card_id)
where decided.additions = 0 or exists (select from held)
order by ordinal
