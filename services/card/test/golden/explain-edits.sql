select asked.ordinal, card.*
from json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, card_id uuid, command_id uuid)
-- OFFSET 0 is an optimizer fence: each row is found by its key, not by a scan of the workspace.
cross join lateral (
  select cards.version, cards.workstream_id, boards.deleted_at as board_deleted_at,
    commands.fingerprint, commands.response
  from cards
  cross join lateral (select * from boards
    where boards.workspace_id = cards.workspace_id and boards.id = cards.board_id offset 0) as boards
  left join commands on commands.workspace_id = asked.workspace_id and commands.id = asked.command_id
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
