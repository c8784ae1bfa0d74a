select boards.id as board_id, array_agg(asked.user_id) as user_ids
from boards
cross join (select value::uuid as user_id from json_array_elements_text($3)) as asked
where boards.workspace_id = $1::uuid and boards.id = any (array(select value::uuid from json_array_elements_text($2)))
  and (
    boards.visibility = 'workspace'
    or boards.created_by = asked.user_id
    or exists (
      select from board_members as member
      where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = asked.user_id
    ))
group by boards.id
