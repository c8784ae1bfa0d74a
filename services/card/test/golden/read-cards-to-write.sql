select asked.place::integer, cards.workspace_id, cards.id, cards.version, cards.board_id, cards.column_id, cards.position,
  cards.title, cards.description, cards.due_date, cards.priority, cards.completed_at, cards.archived_at,
  cards.created_by, cards.created_at, cards.updated_at, cards.assignee_user_ids, cards.label_ids,
  cards.subtask_total, cards.subtask_completed, cards.comment_count, cards.workstream_id, cards.identifier,
  workstreams.name as workstream_name, workstreams.prefix as workstream_prefix,
  boards.archived_at as board_archived_at, boards.deleted_at as board_deleted_at,
  columns.archived_at as column_archived_at, commands.fingerprint, commands.response
from unnest($2::uuid[], $3::uuid[], $4::uuid[]) with ordinality as asked (card_id, user_id, command_id, place)
-- Each by its key: the offset keeps Postgres from passing all cards of the workspace.
cross join lateral (
  select * from cards where cards.workspace_id = $1::uuid and cards.id = asked.card_id offset 0
) as cards
join columns on columns.workspace_id = $1::uuid and columns.id = cards.column_id
join boards on boards.workspace_id = $1::uuid and boards.id = cards.board_id
join workstreams on workstreams.workspace_id = $1::uuid and workstreams.id = cards.workstream_id
left join commands on commands.workspace_id = $1::uuid and commands.id = asked.command_id
where (
    boards.visibility = 'workspace'
    or boards.created_by = asked.user_id
    or exists (
      select from board_members as member
      where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = asked.user_id
    ))
