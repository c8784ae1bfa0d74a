select last, oldest, after, "to", (
  select logged_on::text from days
  where days.workspace_id = $1 and first_seq <= after + 1 order by logged_on desc limit 1) as first_day, (
  select logged_on::text from days
  where days.workspace_id = $1 and first_seq <= "to" order by logged_on desc limit 1) as last_day
from logs
cross join lateral (
  select coalesce((
    select first_seq from days where days.workspace_id = $1 order by logged_on limit 1), last + 1) as oldest
) as kept
cross join lateral (select least(last, $3::bigint) as "to") as ended
cross join lateral (select greatest($2::bigint, oldest - 1, "to" - $4::bigint) as after) as begun
where logs.workspace_id = $1
