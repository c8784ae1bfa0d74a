with asked as (
      select *
      from unnest(
        $1::uuid[],
        $2::uuid[],
        $3::int[],
        $4::timestamptz[]
      ) as asked (workspace_id, operation_id, card_version, assigned_at)
    ), pending as (
      select asked.*
      from identifiers i join asked using (workspace_id, operation_id)
      where i.state <> 'issued'
      order by i.workspace_id, i.operation_id
      for no key update of i
    ), issued as (
      update identifiers i
      set state = 'issued', card_version = pending.card_version, assigned_at = pending.assigned_at
      from pending
      where i.workspace_id = pending.workspace_id and i.operation_id = pending.operation_id and i.state <> 'issued'
    )
    select workspace_id, operation_id
    from identifiers join asked using (workspace_id, operation_id)
