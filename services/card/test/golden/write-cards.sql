with asked as materialized (
  -- Of several changes of one card the first one counts.
  select distinct on (card_id) * from json_to_recordset($1) as asked (
    seq integer, card_id uuid, read_version integer, next_version integer, next_title text, next_description text,
    next_due_date timestamptz, next_priority text, next_completed_at timestamptz, next_archived_at timestamptz,
    at timestamptz, target uuid, user_id uuid, command_id uuid, fingerprint text, event_id uuid, event_type text, request_id text)
  order by card_id, seq
),
held as materialized (
  select asked.* from cards join asked on asked.card_id = cards.id
  where cards.workspace_id = $2::uuid and cards.version = asked.read_version
  order by cards.id for update of cards
),
ranges as materialized (
  select id, prefix, last_number, granted_through from workstreams
  where workspace_id = $2::uuid and id in (select target from held) and not closed
  order by id for no key update
),
counted as (
  select held.*, ranges.prefix, ranges.granted_through,
    ranges.last_number + row_number() over (partition by target order by seq) as number
  from held left join ranges on ranges.id = target
),
-- Numbers that were not granted are not issued.
able as materialized (
  select counted.*, prefix || '-' || number as identifier, granted_through - number as room
  from counted where target is null or number <= granted_through
),
counters as (
  update workstreams set last_number = workstreams.last_number + used.count
  from (select target, count(*) from able where target is not null group by target) as used
  where workstreams.workspace_id = $2::uuid and workstreams.id = used.target
),
changed as (
  update cards set
    version = next_version, updated_at = at,
    title = next_title, description = next_description, due_date = next_due_date, priority = next_priority,
    completed_at = next_completed_at, archived_at = next_archived_at,
    workstream_id = coalesce(target, cards.workstream_id), identifier = coalesce(able.identifier, cards.identifier)
  from able
  where cards.workspace_id = $2::uuid and cards.id = able.card_id and next_version <> read_version
  returning cards.*
),
-- A change of nothing is answered too, with the card as it is.
written as (
  select * from changed
  union all
  select cards.* from cards join able on able.card_id = cards.id
  where cards.workspace_id = $2::uuid and next_version = read_version
),
documents as materialized (
  select able.*, written.version, written.workstream_id,
    json_build_object(
      'id', written.id,
      'type', 'card',
      'version', written.version,
      'board_id', written.board_id,
      'column_id', written.column_id,
      'title', written.title,
      'description', written.description,
      'position', written.position,
      'due_date', to_char(written.due_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'priority', written.priority,
      'completed_at', to_char(written.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'archived_at', to_char(written.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'created_by', written.created_by,
      'created_at', to_char(written.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'updated_at', to_char(written.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'assignee_user_ids', written.assignee_user_ids,
      'label_ids', written.label_ids,
      'subtask_total', written.subtask_total,
      'subtask_completed', written.subtask_completed,
      'comment_count', written.comment_count,
      'identifier', written.identifier,
      'workstream', json_build_object(
        'id', written.workstream_id, 'name', workstreams.name, 'prefix', workstreams.prefix)) as document, jsonb_build_object(
      'id', able.event_id,
      'type', able.event_type,
      'version', 1,
      'occurred_at', to_char(written.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'workspace_id', written.workspace_id,
      'request_id', able.request_id,
      'aggregate_id', written.id,
      'aggregate_version', written.version,
      'data', jsonb_build_object(
        'board_id', written.board_id,
        'title', written.title,
        'identifier', written.identifier,
        'workstream_id', written.workstream_id,
        'completed_at', to_char(written.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'archived_at', to_char(written.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        || case when able.event_type = 'card.updated' then '{}'
          else jsonb_build_object('operation_id', able.command_id) end) as event,
    case when target is not null then json_build_object(
      'workspace_id', written.workspace_id,
      'identifier', written.identifier,
      'workstream_id', written.workstream_id,
      'card_id', written.id,
      'card_version', written.version,
      'assigned_at', to_char(written.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'assigned_by', able.user_id) end as issued
  from written
  join able on able.card_id = written.id
  join workstreams on workstreams.workspace_id = $2::uuid and workstreams.id = written.workstream_id
),
answers as (
  insert into commands (workspace_id, id, fingerprint, response, created_at, ended_at)
  select $2::uuid, command_id, fingerprint, document::jsonb, at, at
  from documents order by command_id
),
on_their_way as (
  insert into issued (workspace_id, identifier, workstream_id, card_id, card_version, assigned_at, assigned_by)
  select $2::uuid, identifier, target, card_id, version, at, user_id from documents where target is not null
),
told as (
  insert into outbox (id, workspace_id, subject, event)
  select event_id, $2::uuid, 'evt.' || event_type, event from documents where next_version <> read_version
)
select command_id, document::text, issued, room from documents order by seq
