update "workstreams" set "epoch" = $1, "epoch_base" = $2, "grant_size" = $3, "granted_at" = $4, "granted_through" = greatest(granted_through, $5::bigint) where "workspace_id" = $6 and "id" = $7 and "archived_at" is null and "closing" is null and "opening" is null and "adopting" = $8 and "epoch" <= $9 returning *, 
  coalesce((
    select number from identifiers where workspace_id = "workstreams"."workspace_id" and prefix = "workstreams"."prefix"
    order by number desc limit 1), 0) as "highest_number"
