select asked.ordinal, seen.*, asked.card_id <> '00000000-0000-0000-0000-000000000000' or exists (
    select from workstreams
    where workstreams.workspace_id = asked.workspace_id and workstreams.prefix = split_part(asked.identifier, '-', 1)
      and not workstreams.adopting
      and split_part(asked.identifier, '-', 2)::bigint > coalesce(workstreams.adopted_through, 0)
      and split_part(asked.identifier, '-', 2)::bigint <= workstreams.last_number
  ) as issued
from (
  select ordinal, workspace_id, user_id, identifier, coalesce(
    (select cards.id from cards
      where cards.workspace_id = asked.workspace_id and cards.identifier = asked.identifier),
    (select issued.card_id from issued
      where issued.workspace_id = asked.workspace_id and issued.identifier = asked.identifier),
    card_id
  ) as card_id
  from json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, identifier text, card_id uuid)
  offset 0
) as asked
left join lateral (
  select cards.id, cards.identifier, cards.title, cards.board_id, cards.completed_at, cards.archived_at,
    cards.column_id, cards.version
  from (select) as one
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
) as seen on true
