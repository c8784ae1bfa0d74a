select workspace_id, prefix, number, card_id
    from identifiers join unnest(
      $1::uuid[],
      $2::text[],
      $3::bigint[]
    ) as wanted (workspace_id, prefix, number) using (workspace_id, prefix, number)
