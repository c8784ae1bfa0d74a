with log as (
  update logs set last = new.last, through = new.through, epoch = new.epoch, positions = new.positions,
    logged_on = case when new.count = 0 then logs.logged_on
      else greatest(logs.logged_on, (clock_timestamp() at time zone 'utc')::date) end
  from json_to_recordset($1) as new (
    workspace_id uuid, last bigint, through bigint, epoch integer, positions jsonb, count integer)
  where logs.workspace_id = new.workspace_id
  returning logs.workspace_id, logs.last, logs.logged_on, new.count
),
day as (
  insert into days (workspace_id, logged_on, first_seq)
  select workspace_id, logged_on, last - count + 1 from log where count > 0
  on conflict do nothing
)
insert into events (
  workspace_id, seq, logged_on, id, type, card_id, board_id, other_board_id, source, source_seq, event)
select workspace_id, seq, logged_on, id, type, card_id, board_id, other_board_id, source, source_seq, event::json
from rows from (
  json_to_recordset($2) as (
    workspace_id uuid, seq bigint, id uuid, type text, card_id uuid, board_id uuid, other_board_id uuid, source text,
    source_seq bigint),
  string_to_table($3, E'\n')
) as new (
  workspace_id, seq, id, type, card_id, board_id, other_board_id, source, source_seq, event)
join log using (workspace_id)
