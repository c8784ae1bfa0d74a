import { leastMargin, witnessedDatabases } from '@cardinal/contracts';
import { ConfigError } from '@cardinal/servers';
import { sql } from 'kysely';
import type { Sources } from './sources.ts';

/** What numbers are to be set on, and by how much at least. */
export interface Advance {
  workstreams: number;
  logs: number;
  margin: number;
}

/**
 * Sets every counter on: those of workstreams, of adoptions, and of logs (ADR 0071). It notes this in the databases; services
 * carry it out before they issue the next number, within a second where they run, else at their start.
 * @param margin numbers that may have been given out of one since; more are skipped where a workstream uses many a day
 * @param restoredBefore how often the backup was restored before from which the databases are
 * @returns what will be set on
 * @throws ConfigError where a schema is of a release that does not know of it yet
 */
export const requestAdvance = async (sources: Sources, margin = leastMargin, restoredBefore = 0): Promise<Advance> => {
  for (const service of witnessedDatabases) {
    const column = sql<{ found: boolean }>`select exists (select from information_schema.columns
      where table_schema = ${service} and table_name = 'lineage' and column_name = 'advance_by') as found`;
    if (!(await sources.read(service, column))[0]?.found) {
      throw new ConfigError(`${service}: its schema is of an earlier release; run its migrations first`);
    }
  }
  for (const service of witnessedDatabases) {
    const table = sql.table(`${service}.lineage`);
    await sources.write(
      service,
      sql`update ${table} set advance_by = greatest(advance_by, ${margin}::bigint),
        restored_before = greatest(restored_before, ${restoredBefore}::integer)`,
    );
  }
  const count = async (service: 'identifier' | 'event', table: string) => {
    const [row] = await sources.read(service, sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`);
    return row?.n ?? 0;
  };
  const [workstreams, logs] = [await count('identifier', 'identifier.workstreams'), await count('event', 'event.logs')];
  return { workstreams, logs, margin };
};

/** The services that have not set their counters on yet. */
export const waitingForAdvance = async (sources: Sources): Promise<string[]> => {
  const looks = witnessedDatabases.map(async (service) => {
    const table = sql.table(`${service}.lineage`);
    const rows = await sources.read(service, sql`select from ${table} where advance_by is not null or advanced`);
    return rows.length > 0 ? [service] : [];
  });
  return (await Promise.all(looks)).flat();
};
