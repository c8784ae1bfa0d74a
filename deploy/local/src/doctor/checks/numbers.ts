import { noRows } from './kinds.ts';

/** Missing numbers of one workstream that are named one by one. */
const mostNamed = 20;

/** The counting of the identifier service, and the identifiers that cards carry. */
export const numbers = [
  noRows(
    'every workstream has given out 1 to N without a gap',
    'identifier',
    `select counted.workspace_id || '/' || prefix || ' has given out ' || given || ' numbers and counts '
        || last_number || coalesce('; missing: ' || missing, '') as what
      from (
        select w.workspace_id, w.prefix, w.last_number, count(i.number) as given, coalesce(max(i.number), 0) as highest
        from identifier.workstreams w
        left join identifier.identifiers i using (workspace_id, prefix)
        group by w.workspace_id, w.prefix, w.last_number
      ) as counted
      left join lateral (
        select string_agg(n::text, ', ' order by n) as missing from (
          select n from generate_series(1, last_number) as n
          where not exists (
            select from identifier.identifiers i
            where i.workspace_id = counted.workspace_id and i.prefix = counted.prefix and i.number = n
          )
          order by n limit ${mostNamed}
        ) as gaps
      ) as gaps on given <> last_number
      where given <> last_number or highest <> last_number`,
  ),
  noRows(
    'every number belongs to the workstream of its prefix',
    'identifier',
    `select i.workspace_id || '/' || i.prefix || '-' || i.number || ' is of workstream ' || i.workstream_id
        || ', its prefix of ' || coalesce(w.id::text, 'none') as what
      from identifier.identifiers i
      left join identifier.workstreams w using (workspace_id, prefix)
      where w.id is distinct from i.workstream_id`,
  ),
  noRows(
    'no number is given out twice',
    'identifier',
    `select workspace_id || '/' || prefix || '-' || number || ' is given out to '
        || string_agg(card_id::text, ', ' order by card_id) as what
      from identifier.identifiers group by workspace_id, prefix, number having count(*) > 1`,
  ),
  noRows(
    'no identifier is on two cards',
    'card',
    `select workspace_id || '/' || identifier || ' is on ' || string_agg(id::text, ', ' order by id) as what
      from card.cards group by workspace_id, identifier having count(*) > 1`,
  ),
];
