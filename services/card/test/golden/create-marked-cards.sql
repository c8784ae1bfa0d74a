with asked as materialized (
  select *, $2::uuid as workspace_id from json_to_recordset($1) as asked (
    seq integer, card_id uuid, column_id uuid, user_id uuid, named uuid, expected uuid,
    title text, description text, due_date timestamptz, priority text,
    assignee_user_ids uuid[], label_ids uuid[], command_id uuid, fingerprint text,
    event_id uuid, request_id text, api_key_id uuid)
  where seq between 0 and 1000000
),
-- Locks the columns: the order of their cards and their tops are stable from here on.
target_columns as materialized (
  select locked.*
  from (select distinct column_id as id from asked order by id) as ids
  cross join lateral (
    select workspace_id, id, board_id, top from columns
    where workspace_id = $2::uuid and columns.id = ids.id and archived_at is null and top > -4503599627370496
    for no key update
  ) as locked
),
-- Locks the labels: a deletion would remove them only from the cards that exist.
held_labels as materialized (
  select locked.*
  from (select distinct unnest(label_ids) as id from asked where exists (select from target_columns) order by id) as ids
  cross join lateral (
    select id from labels where workspace_id = $2::uuid and labels.id = ids.id for key share
  ) as locked
),
-- The cards that may be created: on an open board that the caller sees, by a command that has no answer yet.
-- Their workstream: the named one, else the default of the board if it is open, else that of the workspace.
allowed as (
  select asked.*, target_columns.board_id, coalesce(
      asked.named,
      (select id from workstreams
        where workspace_id = $2::uuid and id = boards.default_workstream_id and not closed),
      (select id from workstreams where workspace_id = $2::uuid and prefix = 'MAIN')) as workstream_id
  from asked
  join target_columns on target_columns.id = asked.column_id
  cross join lateral (select * from boards
    where boards.workspace_id = target_columns.workspace_id and boards.id = target_columns.board_id offset 0) as boards
  where boards.archived_at is null and boards.deleted_at is null
    and (
    boards.visibility = 'workspace'
    or boards.created_by = asked.user_id
    or exists (
      select from board_members as member
      where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = asked.user_id
    ))
    and not exists (select from commands where workspace_id = $2::uuid and commands.id = asked.command_id)
    and not exists (select from unnest(asked.label_ids) as label_id where label_id not in (select id from held_labels))
),
ranges as materialized (
  select locked.*
  from (select distinct workstream_id as id from allowed where workstream_id = expected order by id) as ids
  cross join lateral (
    select id, name, prefix, last_number, granted_through from workstreams
    where workspace_id = $2::uuid and workstreams.id = ids.id and not closed
      and epoch = $4::integer and workstreams.tableoid = $5::oid
    for no key update
  ) as locked
),
counted as (
  select allowed.*, ranges.last_number + row_number() over (partition by allowed.workstream_id order by seq) as number,
    ranges.name, ranges.prefix, ranges.granted_through
  from allowed join ranges on ranges.id = allowed.workstream_id and allowed.workstream_id = allowed.expected
),
-- Issues granted numbers only; each card is put above those before it.
numbered as materialized (
  select counted.*, prefix || '-' || number as identifier,
    target_columns.top - row_number() over (partition by column_id order by seq) as position
  from counted join target_columns on target_columns.id = counted.column_id
  where number <= granted_through
),
counters as (
  update workstreams set last_number = workstreams.last_number + used.count
  from (select workspace_id, workstream_id, count(*) from numbered group by workspace_id, workstream_id) as used
  where workstreams.workspace_id = used.workspace_id and workstreams.id = used.workstream_id
  returning 1
),
tops as (
  update columns set top = columns.top - used.count
  from (select workspace_id, column_id, count(*) from numbered group by workspace_id, column_id) as used
  where columns.workspace_id = used.workspace_id and columns.id = used.column_id
  returning 1
),
made as (
  insert into cards (workspace_id, id, version, board_id, column_id, position, title, description, due_date, priority,
    created_by, created_at, updated_at, workstream_id, identifier, assignee_user_ids, label_ids)
  select $2::uuid, card_id, 1, board_id, column_id, position, title, description, due_date, priority,
    user_id, $3::timestamptz, $3::timestamptz, workstream_id, identifier,
    coalesce(assignee_user_ids, '{}'), coalesce(label_ids, '{}')
  from numbered
  returning *
),
documents as materialized (
  select numbered.*, concat(
      '{"id":"',
      made.id,
      '","type":"card","version":',
      made.version,
      ',"board_id":"',
      made.board_id,
      '","column_id":"',
      made.column_id,
      '","title":',
      to_json(made.title),
      ',"description":',
      coalesce(to_json(made.description)::text, 'null'),
      ',"position":',
      made.position,
      ',"due_date":',
      coalesce('"' || to_char(made.due_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      ',"priority":',
      coalesce(to_json(made.priority)::text, 'null'),
      ',"completed_at":',
      coalesce('"' || to_char(made.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      ',"archived_at":',
      coalesce('"' || to_char(made.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      ',"created_by":"',
      made.created_by,
      '","created_at":"',
      to_char(made.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      '","updated_at":"',
      to_char(made.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      '","assignee_user_ids":',
      to_json(made.assignee_user_ids),
      ',"label_ids":',
      to_json(made.label_ids),
      ',"subtask_total":',
      made.subtask_total,
      ',"subtask_completed":',
      made.subtask_completed,
      ',"comment_count":',
      made.comment_count,
      ',"identifier":"',
      made.identifier,
      '","workstream":{"id":"',
      made.workstream_id,
      '","name":',
      to_json(numbered.name),
      ',"prefix":"',
      numbered.prefix,
      '"}}') as document,
    json_build_object(
      'workspace_id', made.workspace_id,
      'identifier', made.identifier,
      'workstream_id', made.workstream_id,
      'card_id', made.id,
      'card_version', made.version,
      'assigned_at', to_char(made.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'assigned_by', numbered.user_id) as issued
  from made join numbered on numbered.card_id = made.id
),
answers as (
  insert into commands (workspace_id, id, fingerprint, response, created_at, ended_at)
  select $2::uuid, command_id, fingerprint, document::jsonb, $3::timestamptz, $3::timestamptz
  from documents order by command_id
  returning 1
),
new_identifiers as (
  insert into issued (workspace_id, identifier, workstream_id, card_id, card_version, assigned_at, assigned_by)
  select $2::uuid, identifier, workstream_id, card_id, 1, $3::timestamptz, user_id from documents
  returning 1
),
news as materialized (
  select seq as ordinal, event_id as id, 'card.created' as type, card_id as card_id, board_id, null::uuid as other_board_id,
    concat(
      '{"id":"',
      event_id,
      '","type":"',
      'card.created',
      '","at":"',
      to_char($3::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      '","actor":{"user_id":"',
      user_id,
      '","api_key_id":',
      coalesce(to_json(api_key_id)::text, 'null'),
      '},"request_id":',
      to_json(request_id),
      ',"subject":{"type":"card","id":"',
      card_id,
      '","version":',
      1,
      '},"card":{"id":"',
      card_id,
      '","identifier":"',
      identifier,
      '"},"board_id":"',
      board_id,
      '","changed":[],"previous":{},"data":',
      document,
      '}') as event
  from documents
  where (select count(*) from answers) + (select count(*) from counters) + (select count(*) from tops) + (select count(*) from new_identifiers) > 0
),
feed as (
  insert into feeds as feed (workspace_id, last, last_id, noted_at)
  select $2::uuid, count(*), (array_agg(id order by ordinal desc))[1], clock_timestamp() from news having count(*) > 0
  on conflict (workspace_id) do update set last = feed.last + excluded.last, before_id = feed.last_id,
    last_id = excluded.last_id,
    noted_at = greatest(clock_timestamp(), feed.noted_at + interval '1 microsecond')
  returning last, before_id, noted_at
),
noted as (
  insert into changes (workspace_id, seq, id, previous_id, noted_at, type, card_id, board_id, other_board_id, event)
  select $2::uuid, last - count(*) over () + row_number() over in_order, id,
    coalesce(lag(id) over in_order, before_id), noted_at, type, card_id, board_id, other_board_id, event::json
  from news cross join feed
  window in_order as (order by ordinal)
)
select command_id, card_id, 1 as version, document, issued, granted_through - number as room from documents order by seq
