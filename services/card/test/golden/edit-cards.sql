with asked as materialized (
  -- A batch applies the first of several edits of a card.
  select distinct on (card_id) *, $2::uuid as workspace_id from json_to_recordset($1) as asked (
    seq integer, card_id uuid, user_id uuid, if_match bigint[], arrived_at timestamptz,
    new_title text, sets_description boolean, new_description text, sets_due_date boolean, new_due_date timestamptz, sets_priority boolean, new_priority text,
    completed boolean, archived boolean,
    command_id uuid, fingerprint text, event_id uuid, request_id text, api_key_id uuid)
  where seq between 0 and 1000000
  order by card_id, seq
),
locked as materialized (
  select asked.*, cards.version as read_version, greatest(arrived_at, cards.updated_at) as at,
    cards.title, cards.description, cards.due_date, cards.priority, cards.completed_at, cards.archived_at,
    cards.workstream_id, cards.identifier
  from (select * from asked order by card_id) as asked
  -- The lock is also an optimizer fence: each card is found by its key, not by a scan of the workspace.
  cross join lateral (
    select cards.* from cards
    cross join lateral (select * from boards
    where boards.workspace_id = cards.workspace_id and boards.id = cards.board_id offset 0) as boards
    where cards.workspace_id = asked.workspace_id and cards.id = asked.card_id and cards.version = any (asked.if_match)
      -- Checked again where the card was moved while the statement waited for its lock.
      and boards.id = cards.board_id and boards.deleted_at is null
      and (
    boards.visibility = 'workspace'
    or boards.created_by = asked.user_id
    or exists (
      select from board_members as member
      where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = asked.user_id
    ))
      and not exists (
        select from commands where commands.workspace_id = asked.workspace_id and commands.id = asked.command_id)
    for update of cards
  ) as cards
),
decided as (
  select locked.*,
    coalesce(new_title, title) as next_title,
    case when sets_description then new_description else description end as next_description,
    case when sets_due_date then new_due_date else due_date end as next_due_date,
    case when sets_priority then new_priority else priority end as next_priority,
    -- A card that is already completed or archived keeps its time.
    case completed when true then coalesce(completed_at, at) when false then null else completed_at end as next_completed_at,
    case when archived then coalesce(archived_at, at) else archived_at end as next_archived_at
  from locked
),
-- All changed fields together are one version (CONTRACT 3.3).
compared as (
  select decided.*,
    (next_title, next_description, next_due_date, next_priority, next_completed_at, next_archived_at)
      is distinct from (title, description, due_date, priority, completed_at, archived_at) as differs
  from decided
),
allowed as (
  select compared.*, read_version + differs::integer as next_version from compared
),
-- An edit that changes nothing also has an answer: the card as it is.
changed as (
  update cards set
    version = next_version, updated_at = case when next_version = read_version then cards.updated_at else at end,
    title = next_title, description = next_description, due_date = next_due_date, priority = next_priority,
    completed_at = next_completed_at, archived_at = next_archived_at
  from allowed
  where cards.workspace_id = allowed.workspace_id and cards.id = allowed.card_id
  returning cards.*, seq, at, user_id, command_id, fingerprint, event_id, request_id, api_key_id, read_version,
    case when next_archived_at is distinct from allowed.archived_at then 'card.archived'
      else 'card.updated' end as event_type,
    concat('[', concat_ws(',',
      case when allowed.next_title is distinct from allowed.title then '"title"' end,
      case when allowed.next_description is distinct from allowed.description then '"description"' end,
      case when allowed.next_due_date is distinct from allowed.due_date then '"due_date"' end,
      case when allowed.next_priority is distinct from allowed.priority then '"priority"' end,
      case when allowed.next_completed_at is distinct from allowed.completed_at then '"completed_at"' end,
      case when allowed.next_archived_at is distinct from allowed.archived_at then '"archived_at"' end), ']') as changed_fields,
    concat('{', concat_ws(',',
      case when allowed.next_title is distinct from allowed.title and coalesce(length(allowed.title), 0) <= 240 then concat(
      '"title":',
      to_json(allowed.title)) end,
      case when allowed.next_description is distinct from allowed.description and coalesce(length(allowed.description), 0) <= 240 then concat(
      '"description":',
      coalesce(to_json(allowed.description)::text, 'null')) end,
      case when allowed.next_due_date is distinct from allowed.due_date then concat(
      '"due_date":',
      coalesce('"' || to_char(allowed.due_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null')) end,
      case when allowed.next_priority is distinct from allowed.priority and coalesce(length(allowed.priority), 0) <= 240 then concat(
      '"priority":',
      coalesce(to_json(allowed.priority)::text, 'null')) end,
      case when allowed.next_completed_at is distinct from allowed.completed_at then concat(
      '"completed_at":',
      coalesce('"' || to_char(allowed.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null')) end,
      case when allowed.next_archived_at is distinct from allowed.archived_at then concat(
      '"archived_at":',
      coalesce('"' || to_char(allowed.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null')) end), '}') as previous_values
),
documents as materialized (
  select changed.*,
    concat(
      '{"id":"',
      changed.id,
      '","type":"card","version":',
      changed.version,
      ',"board_id":"',
      changed.board_id,
      '","column_id":"',
      changed.column_id,
      '","title":',
      to_json(changed.title),
      ',"description":',
      coalesce(to_json(changed.description)::text, 'null'),
      ',"position":',
      changed.position,
      ',"due_date":',
      coalesce('"' || to_char(changed.due_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      ',"priority":',
      coalesce(to_json(changed.priority)::text, 'null'),
      ',"completed_at":',
      coalesce('"' || to_char(changed.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      ',"archived_at":',
      coalesce('"' || to_char(changed.archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      ',"created_by":"',
      changed.created_by,
      '","created_at":"',
      to_char(changed.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      '","updated_at":"',
      to_char(changed.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      '","assignee_user_ids":',
      to_json(changed.assignee_user_ids),
      ',"label_ids":',
      to_json(changed.label_ids),
      ',"subtask_total":',
      changed.subtask_total,
      ',"subtask_completed":',
      changed.subtask_completed,
      ',"comment_count":',
      changed.comment_count,
      ',"identifier":"',
      changed.identifier,
      '","workstream":{"id":"',
      changed.workstream_id,
      '","name":',
      to_json(workstreams.name),
      ',"prefix":"',
      workstreams.prefix,
      '"}}') as document
  from changed
  cross join lateral (select * from workstreams
    where workstreams.workspace_id = changed.workspace_id and workstreams.id = changed.workstream_id offset 0) as workstreams
),
answers as (
  insert into commands (workspace_id, id, fingerprint, response, created_at, ended_at)
  select $2::uuid, command_id, fingerprint, document::jsonb, at, at
  from documents order by command_id
  returning 1
),
news as materialized (
  select seq as ordinal, event_id as id, event_type as type, id as card_id, board_id, null::uuid as other_board_id,
    concat(
      '{"id":"',
      event_id,
      '","type":"',
      event_type,
      '","at":"',
      to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      '","actor":{"user_id":"',
      user_id,
      '","api_key_id":',
      coalesce(to_json(api_key_id)::text, 'null'),
      '},"request_id":',
      to_json(request_id),
      ',"subject":{"type":"card","id":"',
      id,
      '","version":',
      version,
      '},"card":{"id":"',
      id,
      '","identifier":"',
      identifier,
      '"},"board_id":"',
      board_id,
      '","changed":',
      changed_fields,
      ',"previous":',
      previous_values,
      ',"data":',
      document,
      '}') as event
  from documents
  where (select count(*) from answers) > 0 and version > read_version
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
select command_id, id as card_id, version, document, null::json as issued, null::bigint as room
from documents order by seq
