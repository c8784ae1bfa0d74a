insert into identifiers
      (workspace_id, prefix, number, workstream_id, card_id, card_version, assigned_at, assigned_by)
    select workspace_id, prefix, number, workstream_id, card_id, card_version, assigned_at, assigned_by
    from (
    select workspace_id, split_part(identifier, '-', 1) as prefix, split_part(identifier, '-', 2)::bigint as number,
      workstream_id, card_id, card_version, assigned_at, assigned_by
    from json_to_recordset($1) as one (
      workspace_id uuid, identifier text, workstream_id uuid, card_id uuid,
      card_version integer, assigned_at timestamptz(3), assigned_by uuid)
  ) as issued
    order by workspace_id, prefix, number
    on conflict do nothing
