import { sql } from 'kysely';
import type { Reader } from './pool.ts';

/**
 * A condition, always true, for a statement that is a transaction of its own: its commit does not wait for the disk. For
 * rows that a restart finds or makes again. A crash loses the end of the WAL, so never a commit without all later ones.
 */
export const commitsWithoutDisk = "(select set_config('synchronous_commit', 'off', true)) is not null";

/** Settings with which a crashing server loses acknowledged commits, or cannot read its pages afterwards. */
const unsafe = sql<string>`(
  select coalesce(string_agg(name, ', ' order by name), '') from unnest(array['fsync', 'full_page_writes', 'synchronous_commit'])
    as name where current_setting(name) = 'off')`;

/** Connections that receive WAL: standbys, and a base backup while it runs. Any role may count them. */
const standbys = sql<number>`(select count(*)::integer from pg_stat_replication)`;

/** How many standbys a commit of this role waits for (PostgreSQL manual, synchronous_standby_names). */
const awaited = sql<number>`(
  select case
    when current_setting('synchronous_commit') in ('off', 'local') or names = '' then 0
    else coalesce((regexp_match(names, '^(?:any|first)?\\s*(\\d+)\\s*\\(', 'i'))[1]::integer, 1)
  end
  from btrim(current_setting('synchronous_standby_names')) as names)`;

/** Positions of slots count too: only roles with pg_read_all_stats see those of connections. */
const lag = sql<number | null>`(
  select case when not pg_is_in_recovery() and exists (select from pg_stat_replication) then
    (select greatest(min(pg_wal_lsn_diff(pg_current_wal_lsn(), flushed)), 0) from (
      select flush_lsn as flushed from pg_stat_replication
      union all select restart_lsn from pg_replication_slots where slot_type = 'physical' and active
    ) as standby)
  else 0 end)`;

/** Gauges that show whether acknowledged commits survive a crash and a failover. */
export const durabilityGauges = {
  cardinal_database_unsafe_settings: {
    help: 'Settings with which a crash loses acknowledged writes: fsync, full_page_writes, synchronous_commit',
    value: sql<number>`(select count(*)::integer from string_to_table(${unsafe}, ', ') as name where name <> '')`,
  },
  cardinal_database_standbys: { help: 'Standbys that receive WAL from the database', value: standbys },
  cardinal_database_awaited_standbys: {
    help: 'Standbys that a commit waits for; 0: a failover loses the last commits',
    value: awaited,
  },
  cardinal_database_standby_lag_bytes: {
    help: 'WAL that the most advanced standby has not flushed: what a failover would lose; absent without the right to see it',
    value: lag,
  },
};

/**
 * Reads whether acknowledged commits survive a crash and a failover: the names of unsafe settings with commas between
 * them, the number of standbys, how many of them a commit waits for, and their lag in bytes, null where the role may
 * not see it.
 */
export const readDurability = async (db: Reader) => {
  const query = sql<{ unsafe: string; standbys: number; awaited: number; lag: number | null }>`
    select ${unsafe} as unsafe, ${standbys} as standbys, ${awaited} as awaited, ${lag}::bigint as lag`;
  return (await query.execute(db)).rows[0];
};
