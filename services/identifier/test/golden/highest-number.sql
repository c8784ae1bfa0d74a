select 
  coalesce((
    select number from identifiers where workspace_id = $1 and prefix = $2
    order by number desc limit 1), 0) as number
