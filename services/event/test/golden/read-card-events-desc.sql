select seq, id, type, card_id, board_id, other_board_id, event::text as text, total
from (
  select *, count(*) over () as total,
    sum(octet_length(event::text)) over (order by seq desc rows between unbounded preceding and 1 preceding) as before
  from (
    select * from (
      (select * from events
      where workspace_id = $1 and card_id = $10 and seq > $2 and seq <= $3 and logged_on between $8::date and $9::date
        and 
    ($5::text[] is null or type = any ($5))
    and ($6::uuid[] is null or type = 'feed.reset' or board_id = any ($6)
      or (type = 'card.moved' and other_board_id = any ($6)))
    and (board_id is null or board_id <> all ($7::uuid[])
      -- Events that take a board or card out of sight reach the callers who saw it.
      or type in ('board.updated', 'member.removed') or (type = 'card.moved' and other_board_id <> all ($7::uuid[])))
        and (type = 'feed.reset' or $11::text is null or substr(event::text, strpos(event::text, '"actor":{"user_id":"') + 20, 36) = $11 or (strpos(left(event::text, 400), '","api_key_id":"') > 0 and substr(event::text, strpos(event::text, '","api_key_id":"') + 16, 36) = $11))
      order by seq desc limit $4)
      union all
      (select * from events
      where workspace_id = $1 and type = 'feed.reset' and card_id is null and seq > $2 and seq <= $3 and logged_on between $8::date and $9::date
        and 
    ($5::text[] is null or type = any ($5))
    and ($6::uuid[] is null or type = 'feed.reset' or board_id = any ($6)
      or (type = 'card.moved' and other_board_id = any ($6)))
    and (board_id is null or board_id <> all ($7::uuid[])
      -- Events that take a board or card out of sight reach the callers who saw it.
      or type in ('board.updated', 'member.removed') or (type = 'card.moved' and other_board_id <> all ($7::uuid[])))
        and (type = 'feed.reset' or $11::text is null or substr(event::text, strpos(event::text, '"actor":{"user_id":"') + 20, 36) = $11 or (strpos(left(event::text, 400), '","api_key_id":"') > 0 and substr(event::text, strpos(event::text, '","api_key_id":"') + 16, 36) = $11))
      order by seq desc limit $4)
    ) as all_kinds
    order by seq desc limit $4) as selected
) as measured
where coalesce(before, 0) < 350000
order by seq desc
