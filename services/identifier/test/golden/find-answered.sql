select workspace_id, operation_id, i.number, i.workstream_id, r.reason
    from unnest($1::uuid[], $2::uuid[]) as asked (workspace_id, operation_id)
    left join identifiers i using (workspace_id, operation_id)
    left join refusals r using (workspace_id, operation_id)
    where i.number is not null or r.reason is not null
