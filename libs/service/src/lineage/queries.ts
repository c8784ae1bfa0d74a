import { leastMargin, newBehindMarginDays, unavailable, type WitnessedDatabase } from '@cardinal/contracts';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Found } from './verdict.ts';

/** The row of the table `lineage`, and the identity of the database. */
export interface DatabaseState extends Found, Beginning {
  epoch: number;
  /** The oid of the table with the counters. */
  table: number;
}

/** The table whose replacement makes another database of it, and what of it changes then. */
const tables: Record<WitnessedDatabase, { oid: RawBuilder<unknown>; identity: RawBuilder<unknown> }> = {
  card: { oid: sql`'workstreams'::regclass::oid`, identity: sql`'workstreams'::regclass::oid` },
  identifier: { oid: sql`'workstreams'::regclass::oid`, identity: sql`'workstreams'::regclass::oid` },
  access: { oid: sql`'api_keys'::regclass::oid`, identity: sql`pg_relation_filenode('api_keys')` },
  event: { oid: sql`'logs'::regclass::oid`, identity: sql`pg_relation_filenode('logs')` },
};

/** System, timeline, database and table, which identify one history of a database. Every role may read them. */
const identityOf = (database: WitnessedDatabase) => sql<string>`concat_ws('/',
  (select system_identifier from pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (select oid from pg_database where datname = current_database()),
  ${tables[database].identity})`;

/**
 * Reads the state of the database.
 * @param hasIssued an SQL condition: numbers were given out of it
 */
export const readState = async <Tables>(
  tx: Kysely<Tables>,
  database: WitnessedDatabase,
  hasIssued: RawBuilder<boolean>,
): Promise<DatabaseState> => {
  const { rows } = await sql<DatabaseState>`
    select epoch, tick, advance_by, restored_before, advanced, unknown_since, new_begins, ticked_at,
      clock_timestamp() as now, ${identityOf(database)} as identity, ${hasIssued} as has_issued,
      ${tables[database].oid}::bigint as "table"
    from lineage`.execute(tx);
  return one(rows);
};

/** Reads the identity and tick of the database; `isPending` where counters are to be raised, or have just been. */
export const readWitness = async <Tables>(tx: Kysely<Tables>, database: WitnessedDatabase) => {
  const { rows } = await sql<{ tick: number; identity: string; isPending: boolean }>`
    select tick, ${identityOf(database)} as identity, advance_by is not null or advanced as "isPending"
    from lineage`.execute(tx);
  return one(rows);
};

const one = <Row>([row]: Row[]): Row => {
  if (!row) throw unavailable('The table lineage is empty');
  return row;
};

/**
 * Since when nobody knows which numbers were given out, and the number behind which new workstreams and logs begin
 * since.
 */
export interface Beginning {
  unknown_since: Date | null;
  new_begins: number;
}

/** Reads where new workstreams and logs begin. */
export const readBeginning = async <Tables>(tx: Kysely<Tables>): Promise<Beginning> => {
  const { rows } = await sql<Beginning>`select unknown_since, new_begins from lineage`.execute(tx);
  return one(rows);
};

/** Stores the outcome of a meeting where the database lacks it: after a rollback, or after counters were raised. */
export const noteMet = async <Tables>(
  tx: Kysely<Tables>,
  { epoch, unknown_since, new_begins }: Beginning & { epoch: number },
): Promise<void> => {
  await sql`update lineage set epoch = greatest(epoch, ${epoch}::integer), advanced = false,
    unknown_since = greatest(unknown_since, ${unknown_since}::timestamptz),
    new_begins = greatest(new_begins, ${new_begins}::bigint)`.execute(tx);
};

/** Raises the tick. @returns undefined where the tick is below `known`, or counters must be raised first */
export const raiseTick = async <Tables>(tx: Kysely<Tables>, database: WitnessedDatabase, known: number) => {
  const { rows } = await sql<{ tick: number; identity: string; ticked_at: Date }>`
    update lineage set tick = tick + 1 where tick >= ${known}::bigint and advance_by is null and not advanced
    returning tick, ticked_at, ${identityOf(database)} as identity`.execute(tx);
  return rows[0];
};

/**
 * Claims the raising of the counters, which the caller does in the same transaction.
 * @param seen the state that demands it
 * @returns false where the state has changed since: another process may have raised them
 */
export const claimAdvance = async <Tables>(tx: Kysely<Tables>, seen: Pick<Found, 'tick'>): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    update lineage set tick = tick + 1, advanced = true, advance_by = null, restored_before = 0,
      unknown_since = clock_timestamp(),
      new_begins = ${leastMargin}::bigint * (1 + restored_before) +
        case when unknown_since > clock_timestamp() - make_interval(days => ${newBehindMarginDays}::integer)
          then new_begins else 0 end
    where tick = ${seen.tick}::bigint and not advanced`.execute(tx);
  return numAffectedRows === 1n;
};
