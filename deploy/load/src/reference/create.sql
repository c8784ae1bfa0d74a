-- The reference's create as one function: what Postgres can do where nothing goes over a wire in between.
create or replace function create_card(ws uuid, by uuid, at_column uuid, stream uuid) returns void language plpgsql as $$
declare
  command text := gen_random_uuid();
  place record;
  num record;
  made cards;
begin
  select b.id as board_id into strict place from columns c
    join boards b on b.workspace_id = c.workspace_id and b.id = c.board_id
    where c.workspace_id = ws and c.id = at_column and c.archived_at is null and b.archived_at is null
      and b.deleted_at is null and (b.visibility = 'workspace' or b.created_by = by);
  insert into commands (workspace_id, id, fingerprint) values (ws, command, command);
  update workstreams set last_number = last_number + 1 where workspace_id = ws and id = stream and archived_at is null
    returning name, prefix, last_number into strict num;
  with top as (update columns set top = columns.top - 1 where workspace_id = ws and id = at_column returning columns.top)
  insert into cards (workspace_id, id, version, board_id, column_id, position, title, description, created_by, created_at,
    updated_at, workstream_id, identifier)
  select ws, gen_random_uuid(), 1, place.board_id, at_column, top.top, 'Card of the load',
    'What is to be done, in a line.', by, now(), now(), stream, num.prefix || '-' || num.last_number
  from top returning * into strict made;
  insert into identifiers (workspace_id, identifier, card_id, workstream_id, assigned_at, assigned_by)
    values (ws, made.identifier, made.id, stream, made.created_at, by);
  insert into audit (workspace_id, type, subject_id, user_id, at, changed)
    values (ws, 'card.created', made.id, by, made.created_at, to_jsonb(made));
  update commands set status = 201, body = to_jsonb(made)::text where workspace_id = ws and id = command;
end $$;
