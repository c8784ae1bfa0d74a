with on_the_way as (
      select prefix, number, workstream_id, card_version, assigned_at, assigned_by from (
    select workspace_id, split_part(identifier, '-', 1) as prefix, split_part(identifier, '-', 2)::bigint as number,
      workstream_id, card_id, card_version, assigned_at, assigned_by
    from json_to_recordset($1) as one (
      workspace_id uuid, identifier text, workstream_id uuid, card_id uuid,
      card_version integer, assigned_at timestamptz(3), assigned_by uuid)
  ) as issued
    ), current as (
      (select card_version, prefix, number from identifiers
        where workspace_id = $2 and prefix = $3 and number = $4
          and card_id = $5)
      union all
      (select card_version, prefix, number from on_the_way
        where prefix = $6 and number = $7)
      limit 1
    ), issued as (
      (select prefix, number, workstream_id, card_version, assigned_at, assigned_by from identifiers
        where workspace_id = $8 and card_id = $9 and (card_version, prefix, number) > ($10, $11, $12)
        order by card_version, prefix, number
        limit $13)
      union
      select prefix, number, workstream_id, card_version, assigned_at, assigned_by from on_the_way where (card_version, prefix, number) > ($14, $15, $16)
    ), named as (
      select issued.*, name, (workstreams.adopting or number <= workstreams.adopted_through) as adopted
      from issued
      join workstreams on workstreams.workspace_id = $17 and workstreams.id = workstream_id
    )
    -- Unknown for the identifiers that a card had before its adoption.
    select named.prefix, named.number, named.workstream_id, named.card_version, named.assigned_by, name, adopted,
      case when not (adopted and coalesce(lead(adopted) over history, false)) then assigned_at end as assigned_at,
      case when not coalesce(lead(adopted) over history, false) then lead(assigned_at) over history end as superseded_at
    from current
    left join named
      on (named.card_version, named.prefix, named.number) <= (current.card_version, current.prefix, current.number)
    window history as (order by named.card_version, named.prefix, named.number)
    order by named.card_version, named.prefix, named.number
    limit $18
