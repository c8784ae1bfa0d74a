import { leastMargin, witnessedDatabases } from '@cardinal/contracts';
import { ConfigError } from '@cardinal/servers';
import { sql } from 'kysely';
import type { Sources } from './sources.ts';

/** The counters that are to be advanced, and by how much at least. */
export interface Advance {
  workstreams: number;
  logs: number;
  margin: number;
}

/**
 * Advances every counter: of workstreams, of adoptions, and of logs (ADR 0071). Writes requests to the databases. Running
 * services apply them before the next number, within a second; others at their next start.
 * @param margin how many numbers of one counter may be lost; a workstream that uses many a day skips more
 * @param restoredBefore how often the same backup was restored before
 * @returns the counters that will advance
 * @throws ConfigError if the schema of a service is of an older release
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
    // That of access has no counters: it notes that nobody knows which of its keys were revoked.
    const concerned =
      service === 'access' ? sql`exists (select from access.api_keys where revoked_at is null)` : sql`true`;
    await sources.write(
      service,
      sql`update ${table} set advance_by = greatest(advance_by, ${margin}::bigint),
        restored_before = greatest(restored_before, ${restoredBefore}::integer) where ${concerned}`,
    );
  }
  const count = async (service: 'identifier' | 'event', table: string) => {
    const [row] = await sources.read(service, sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`);
    return row?.n ?? 0;
  };
  const [workstreams, logs] = [await count('identifier', 'identifier.workstreams'), await count('event', 'event.logs')];
  return { workstreams, logs, margin };
};

/** The services that have not advanced their counters yet. */
export const waitingForAdvance = async (sources: Sources): Promise<string[]> => {
  const looks = witnessedDatabases.map(async (service) => {
    const table = sql.table(`${service}.lineage`);
    const rows = await sources.read(service, sql`select from ${table} where advance_by is not null or advanced`);
    return rows.length > 0 ? [service] : [];
  });
  return (await Promise.all(looks)).flat();
};
