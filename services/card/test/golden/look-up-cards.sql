select asked.ordinal, card.*
from json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, card_id uuid)
cross join lateral (
  select cards.workspace_id,
    cards.id,
    cards.version,
    cards.board_id,
    cards.column_id,
    cards.position,
    cards.title,
    cards.description,
    cards.due_date,
    cards.priority,
    cards.completed_at,
    cards.archived_at,
    cards.created_by,
    cards.created_at,
    cards.updated_at,
    cards.assignee_user_ids,
    cards.label_ids,
    cards.subtask_total,
    cards.subtask_completed,
    cards.comment_count,
    cards.workstream_id,
    cards.identifier,
    workstreams.name as workstream_name,
    workstreams.prefix as workstream_prefix,
    cards.xmin::text as row_xmin,
    workstreams.version as workstream_version,
    boards.name as board_name,
    boards.archived_at as board_archived_at,
    boards.deleted_at as board_deleted_at,
    (select count(*)::integer from card_dependencies as edge
      where edge.workspace_id = cards.workspace_id and edge.card_id = cards.id and edge.present
        and exists (select from cards as other where other.workspace_id = edge.workspace_id and other.id = edge.depends_on_card_id offset 0)) as dependency_count,
    (select count(*)::integer from card_dependencies as edge
      where edge.workspace_id = cards.workspace_id and edge.depends_on_card_id = cards.id and edge.present
        and exists (select from cards as other where other.workspace_id = edge.workspace_id and other.id = edge.card_id offset 0)) as dependent_count
  from cards
  cross join lateral (select * from workstreams
    where workstreams.workspace_id = cards.workspace_id and workstreams.id = cards.workstream_id offset 0) as workstreams
  cross join lateral (select * from boards
    where boards.workspace_id = cards.workspace_id and boards.id = cards.board_id offset 0) as boards
  where cards.workspace_id = asked.workspace_id and cards.id = asked.card_id
    and (
    boards.visibility = 'workspace'
    or boards.created_by = asked.user_id
    or exists (
      select from board_members as member
      where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = asked.user_id
    ))
  offset 0
) as card
