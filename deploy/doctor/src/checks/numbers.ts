import { mainPrefix } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { Mismatch } from '../compare.ts';
import type { Sources, Tx } from '../sources.ts';
import { projectionCheck, queryCheck, referenceCheck, rows } from './kinds.ts';

/** Most missing numbers of one workstream, and most workstreams, that are listed one by one. */
const maxNamed = 20;
/** The card service keeps recorded identifiers, and events of deleted cards, for seven days. */
const young = `assigned_at > now() - interval '6 days'`;

/** Adopted identifiers are as old as their cards; those whose row the card service still has are recent too. */
const issued = (table: string, identifier: string, number: string) =>
  rows(
    table,
    `jsonb_build_object('workstream_id', workstream_id, 'card_id', card_id, 'card_version', card_version,
      'assigned_at', assigned_at, 'assigned_by', assigned_by)`,
    identifier,
    `where ${young} or exists (
      select from ${table.split('.', 1)[0]}.workstreams as own
      where own.workspace_id = ${table}.workspace_id and own.id = workstream_id
        and (adopting or ${number} <= adopted_through))`,
  );
const ledger = 'identifier.identifiers';
const numbered = `prefix || '-' || number`;

/** Writes an identifier into a ledger that lost it; overwrites nothing. */
const restoreIdentifier = (tx: Tx, { key, owner }: Mismatch) => {
  const [workspaceId, identifier] = key.split('/');
  return sql`
    insert into identifier.identifiers
      (workspace_id, prefix, number, workstream_id, card_id, card_version, assigned_at, assigned_by)
    select ${workspaceId}::uuid, split_part(${identifier}, '-', 1), split_part(${identifier}, '-', 2)::bigint,
      workstream_id, card_id, card_version, assigned_at, assigned_by
    from jsonb_populate_record(null::identifier.identifiers, ${owner}::jsonb)
    on conflict do nothing`.execute(tx);
};

/** Restores a workstream that its owner lost, from what the cards show of it. */
const restoreWorkstream = (tx: Tx, { key, owner }: Mismatch) => {
  const [workspaceId, id] = key.split('/');
  return sql`
    insert into identifier.workstreams
      (workspace_id, id, version, name, prefix, is_default, granted_through, adopting, adopted_through, archived_at,
        created_at, updated_at)
    select ${workspaceId}::uuid, ${id}::uuid, version, name, prefix, prefix = ${mainPrefix}, granted_through, adopting,
      adopted_through,
      case when ${owner}::jsonb ->> 'closed' = 'true' then now() end, now(), now()
    from jsonb_populate_record(null::identifier.workstreams, ${owner}::jsonb)
    on conflict do nothing`.execute(tx);
};

/**
 * For each workstream the highest number that was issued, adopted, or skipped by its opening; or the number above which it
 * continues after a rollback, if that is higher and nothing was issued yet. A counter without a range may be lower: before it issues
 * anything it needs a grant, which brings the ledger's number. An advanced counter may be higher: the next grant
 * moves the ledger above it (ADR 0071).
 */
const highest = {
  issued: rows(
    'card.workstreams',
    `case when granted_through > last_number then to_jsonb(last_number) else to_jsonb(last_number || ' or more') end`,
    'prefix',
    `where last_number > 0
      and (granted_through > last_number or (select unknown_since is null from card.lineage))`,
  ),
  recorded: {
    service: 'identifier',
    query: `select workspace_id || '/' || prefix as key,
        case when epoch > 1 and epoch_base > highest and not adopting
          then to_jsonb(highest || ' or ' || epoch_base) else to_jsonb(highest) end as value
      from (
        select *, case when adopting then recorded else greatest(recorded, adopted_through) end as highest
        from (
          select workspace_id, prefix, max(number) as recorded from ${ledger} group by workspace_id, prefix
        ) as numbers full join identifier.workstreams using (workspace_id, prefix)
        where recorded is not null or not adopting and greatest(adopted_through, epoch_base) > 0
      ) as workstreams`,
  },
} as const;

/** SQL: whether a counter has a value that `highest.recorded` allows. */
const standsRight = ({ owner: counter = '', copy: recorded = '' }: Mismatch): boolean => {
  const allowed = (recorded.match(/\d+/g) ?? []).map(Number);
  const last = Number(/\d+/.exec(counter)?.[0]);
  return counter.includes('or more') ? Math.max(...allowed) >= last : allowed.includes(last);
};

/**
 * The issued numbers in the ledger, each with the number above which its workstream began in the current epoch. Those up to
 * `adopted_through` were adopted, and may have gaps (CONTRACT 4.8).
 */
const issuedSinceRollbacks = `(
  select workspace_id, prefix, number, adopted_through,
    greatest(adopted_through, case when epoch > 1 then epoch_base else 0 end) as base
  from identifier.identifiers left join identifier.workstreams using (workspace_id, prefix)
  where number > coalesce(adopted_through, 0)
) as recorded`;

/**
 * Numbers that no card has after a rollback of a database: lost ones, and granted ones that were not issued. They stay
 * missing (ADR 0042). One line for each workstream.
 */
export const lostNumbers = async (sources: Sources): Promise<string[]> => {
  const lost = await sources.read(
    'identifier',
    sql<{ what: string }>`
      select workspace_id || '/' || prefix || ': ' || base - adopted_through - count(*) || ' of the numbers up to ' || base as what
      from ${sql.raw(issuedSinceRollbacks)} where number <= base
      group by workspace_id, prefix, base, adopted_through having count(*) < base - adopted_through order by workspace_id, prefix limit ${maxNamed}`,
  );
  return lost.map(({ what }) => what);
};

/** Counters and their ledger. Unique constraints already forbid a number issued twice and an identifier on two cards. */
export const numbers = [
  queryCheck(
    'the ledger has the numbers of every workstream without a gap, from 1, its opening or the last rollback',
    ['identifier'],
    `select workspace_id || '/' || prefix || ' has ' || recorded || ' numbers up to ' || highest
        || '; missing: ' || missing as what
      from (
        select workspace_id, prefix, count(*) as recorded, max(number) as highest, base
        from ${issuedSinceRollbacks} where number > base
        group by workspace_id, prefix, base having count(*) <> max(number) - base
      ) as counted
      cross join lateral (
        select string_agg(n::text, ', ' order by n) as missing from (
          select n from generate_series(base + 1, highest) as n
          where not exists (
            select from identifier.identifiers i
            where i.workspace_id = counted.workspace_id and i.prefix = counted.prefix and i.number = n
          )
          order by n limit ${maxNamed}
        ) as gaps
      ) as gaps`,
  ),
  referenceCheck(
    'every counter stands at the highest number of its workstream in the ledger',
    'counter',
    highest.issued,
    highest.recorded,
    undefined,
    (one) => one.owner === undefined || standsRight(one),
  ),
  projectionCheck(
    'the ledger has every identifier of the last days, with the card that it was issued to',
    'identifier',
    issued('card.issued', 'identifier', `split_part(identifier, '-', 2)::bigint`),
    issued(ledger, numbered, 'number'),
    restoreIdentifier,
    ({ owner }) => owner === undefined,
  ),
  referenceCheck(
    'the ledger has the identifier of every card for that card',
    'identifier',
    rows(ledger, 'to_jsonb(card_id)', numbered),
    rows('card.cards', 'to_jsonb(id)', 'identifier'),
    undefined,
    // Another rule checks the identifiers that are not in the ledger yet.
    ({ owner, copy }) => owner === undefined || copy === undefined,
  ),
  referenceCheck(
    'every identifier of the last days is of a card that exists or was deleted',
    'card',
    {
      service: 'card',
      query: `${rows('card.cards').query}
        union ${rows('card.changes', undefined, 'card_id', `where type = 'card.deleted'`).query}`,
    },
    rows(ledger, `jsonb_agg(${numbered} order by number)`, 'card_id', `where ${young} group by workspace_id, card_id`),
    undefined,
    ({ owner }) => owner !== undefined,
  ),
  projectionCheck(
    'the identifier service has every workstream that numbers were issued of',
    'workstream',
    rows(
      'card.workstreams',
      `jsonb_build_object('version', version, 'name', name, 'prefix', prefix, 'granted_through', granted_through,
        'closed', closed, 'adopting', adopting,
        'adopted_through', case when adopting then last_number else coalesce(adopted_through, 0) end)`,
      'id',
      'where last_number > 0',
    ),
    rows('identifier.workstreams'),
    restoreWorkstream,
    ({ copy, owner }) => copy !== undefined || owner === undefined,
  ),
  referenceCheck(
    'every workstream whose range is closed is archived',
    'workstream',
    rows('identifier.workstreams', `'"archived"'::jsonb`, 'id', 'where archived_at is not null'),
    rows('card.workstreams', `'"archived"'::jsonb`, 'id', 'where closed'),
  ),
  queryCheck(
    'every number belongs to the workstream of its prefix',
    ['identifier'],
    `select i.workspace_id || '/' || i.prefix || '-' || i.number || ' is of workstream ' || i.workstream_id
        || ', its prefix of ' || coalesce(w.id::text, 'none') as what
      from identifier.identifiers i
      left join identifier.workstreams w using (workspace_id, prefix)
      where w.id is distinct from i.workstream_id`,
  ),
  queryCheck(
    'no identifier is on its way to the ledger for longer than a minute',
    ['card'],
    `select workspace_id || '/' || identifier || ' of card ' || card_id || ' is unrecorded since ' || assigned_at as what
      from card.issued where recorded_at is null and assigned_at < now() - interval '1 minute'`,
  ),
  queryCheck(
    'no archive or opening of a workstream is left half done',
    ['identifier'],
    `select 'workstream ' || workspace_id || '/' || id || ' is being '
        || case when closing is not null then 'archived' else 'opened' end as what
      from identifier.workstreams where closing is not null or opening is not null`,
  ),
  referenceCheck(
    'every workstream that adopts does so at the card service: where a rollback has its opening forgotten, it is to be opened again',
    'workstream',
    rows('card.workstreams', `'"opened"'::jsonb`, 'id', 'where adopted_through is not null'),
    rows('identifier.workstreams', `'"adopting"'::jsonb`, 'id', 'where adopting and archived_at is null'),
    undefined,
    ({ owner, copy }) => owner === undefined || copy === undefined,
  ),
];
