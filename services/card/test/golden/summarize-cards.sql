select asked.ordinal, cards.id, cards.identifier, cards.title, cards.board_id, cards.completed_at,
  cards.archived_at, boards.deleted_at is not null as board_deleted
from json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, card_id uuid)
-- OFFSET 0 is an optimizer fence: each row is found by its key, not by a scan of the workspace.
cross join lateral (
  select * from cards where cards.workspace_id = asked.workspace_id and cards.id = asked.card_id offset 0
) as cards
cross join lateral (select * from boards
    where boards.workspace_id = cards.workspace_id and boards.id = cards.board_id offset 0) as boards
where (
    boards.visibility = 'workspace'
    or boards.created_by = asked.user_id
    or exists (
      select from board_members as member
      where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = asked.user_id
    ))
