select asked.ordinal, resumed.column_position, resumed.card_position, page.states,
  case when page.count > asked.most then page.last::json end as last
from json_to_recordset($1) as asked (
  ordinal integer, workspace_id uuid, user_id uuid, board_id uuid, most integer, column_id uuid, column_position float8,
  column_version bigint, card_id uuid, card_position float8, card_version bigint)
-- OFFSET 0 is an optimizer fence: each row is found by its key, not by a scan of the workspace.
cross join lateral (
  select from boards
  where boards.workspace_id = asked.workspace_id and boards.id = asked.board_id and boards.deleted_at is null
    and (
    boards.visibility = 'workspace'
    or boards.created_by = asked.user_id
    or exists (
      select from board_members as member
      where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = asked.user_id
    ))
  offset 0
) as board
-- Only on the listed board: a forged cursor must not reveal anything of a board that the caller does not see.
cross join lateral (
  select
    coalesce((select columns.position from columns
      where columns.workspace_id = asked.workspace_id and columns.board_id = asked.board_id and columns.id = asked.column_id
        and columns.version = asked.column_version), asked.column_position) as column_position,
    coalesce((select cards.position from cards
      where cards.workspace_id = asked.workspace_id and cards.board_id = asked.board_id and cards.id = asked.card_id
        and cards.column_id = asked.column_id and cards.version = asked.card_version), asked.card_position) as card_position
  offset 0
) as resumed
cross join lateral (
  select count(*),
    -- Every write of a row changes its xmin.
    string_agg(listed.id || ' ' || listed.xmin || ' ' || listed.workstream_version, ',') filter (where nth <= asked.most)
      as states,
    -- Aggregates one row only: the text is built once.
    string_agg(json_build_array(column_id, column_position, column_version, id, position, version)::text, '')
      filter (where nth = asked.most) as last
  from (
    select walked.*, workstreams.version as workstream_version
    from (
      select columns.id as column_id, columns.position as column_position, columns.version as column_version, inside.*,
        row_number() over (order by columns.position, inside.position) as nth
      -- In order from the start: a column is read only if those before it have not filled the page.
      from (
        select * from columns
        where columns.workspace_id = asked.workspace_id and columns.board_id = asked.board_id and asked.most > 0
          and (asked.column_id is null or columns.position > resumed.column_position or columns.id = asked.column_id)
        order by columns.position
        offset 0
      ) as columns
      cross join lateral (
        select cards.id, cards.xmin::text, cards.version, cards.position, cards.workstream_id
        from cards
        where cards.workspace_id = columns.workspace_id and cards.column_id = columns.id and cards.archived_at is null
          and cards.position > case when columns.id = asked.column_id then resumed.card_position else '-infinity' end
        order by cards.position
        limit asked.most + 1
      ) as inside
      order by columns.position, inside.position
      -- The longest page and one more, as a number that the planner knows before it joins.
      limit 101
    ) as walked
    join workstreams on workstreams.workspace_id = asked.workspace_id and workstreams.id = walked.workstream_id
    where nth <= asked.most + 1
    order by nth
  ) as listed
) as page
