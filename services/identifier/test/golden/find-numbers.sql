select i.workspace_id, i.prefix, i.number, i.card_id, i.operation_id, i.state
    from identifiers i
    join unnest(
      $1::uuid[],
      $2::text[],
      $3::bigint[]
    ) as k (workspace_id, prefix, number)
      on i.workspace_id = k.workspace_id and i.prefix = k.prefix and i.number = k.number
