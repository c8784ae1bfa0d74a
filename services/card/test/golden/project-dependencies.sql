insert into card_dependencies (workspace_id, card_id, depends_on_card_id, version, present)
-- Of several updates of one dependency the latest one counts.
select distinct on (workspace_id, card_id, depends_on_card_id) workspace_id, card_id, depends_on_card_id, version, present
from json_to_recordset($1) as news (
  workspace_id uuid, card_id uuid, depends_on_card_id uuid, version bigint, present boolean)
-- Most updates come twice, by request and by feed; the second one needs no lock.
where (select set_config('synchronous_commit', 'off', true)) is not null and not coalesce((
  select known.version >= news.version from card_dependencies as known
  where known.workspace_id = news.workspace_id and known.card_id = news.card_id
    and known.depends_on_card_id = news.depends_on_card_id), false)
order by workspace_id, card_id, depends_on_card_id, version desc
on conflict (workspace_id, card_id, depends_on_card_id) do update
  set version = excluded.version, present = excluded.present
  where card_dependencies.version < excluded.version
returning workspace_id, card_id, depends_on_card_id, version, present
