select asked.place::integer, cards.version, cards.workstream_id, boards.deleted_at as board_deleted_at,
  cards.archived_at is not null and columns.archived_at is not null as in_archived_column,
  commands.fingerprint, commands.response
from unnest($2::uuid[], $3::uuid[], $4::uuid[]) with ordinality as asked (card_id, user_id, command_id, place)
-- Each by its key: the offset keeps Postgres from passing all cards of the workspace.
cross join lateral (
  select * from cards where cards.workspace_id = $1::uuid and cards.id = asked.card_id offset 0
) as cards
join columns on columns.workspace_id = $1::uuid and columns.id = cards.column_id
join boards on boards.workspace_id = $1::uuid and boards.id = cards.board_id
left join commands on commands.workspace_id = $1::uuid and commands.id = asked.command_id
where (
    boards.visibility = 'workspace'
    or boards.created_by = asked.user_id
    or exists (
      select from board_members as member
      where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = asked.user_id
    ))
