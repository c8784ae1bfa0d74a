with counted as (
      update workstreams w set last_number = c.last_number
      from unnest(
        $1::uuid[],
        $2::uuid[],
        $3::bigint[]
      ) as c (workspace_id, id, last_number)
      where w.workspace_id = c.workspace_id and w.id = c.id
    )
    insert into identifiers
      (workspace_id, prefix, number, workstream_id, card_id, operation_id, assigned_by, state, created_at)
    select n.*, 'pending', $4::timestamptz
    from unnest(
      $5::uuid[],
      $6::text[],
      $7::bigint[],
      $8::uuid[],
      $9::uuid[],
      $10::uuid[],
      $11::uuid[]
    ) as n
