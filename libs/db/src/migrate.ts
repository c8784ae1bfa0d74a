import { setTimeout } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { isConflict, isLocked } from './errors.ts';
import { createPool, type Reader } from './pool.ts';

/** The migrations of a service by name. They run in the order of names, and each is loaded when it runs. */
export type Migrations = Record<string, () => Promise<Migration>>;

/**
 * A migration may take longer than any request. But it must not wait long for a lock, as later requests wait behind it.
 * Half of `deadlock_timeout` (1 s): where a request and a migration come to wait for each other, the migration gives up
 * before Postgres ends the request. One that waits late would be too slow: migrations lock tables in the order of writers.
 */
const limits = `
  set local statement_timeout = 0;
  set local lock_timeout = '500ms';
  set local idle_in_transaction_session_timeout = 0`;
/** A migration that found its locks taken is tried again for as long, ms. */
const patienceMs = 60_000;
const pauseMs = 200;

/**
 * Migrates a schema, the first one in the search_path of the URL's role. Each missing migration is a transaction of its
 * own: one that fails leaves nothing, and none holds its locks while the next one runs, which would block requests. One
 * that finds its locks taken lets the requests before it finish, and is tried again for a minute. It is safe to run from
 * several processes at once. A schema of a later release stays as it is: its migrations only added to it.
 * @returns the names of the migrations that it applied
 */
export async function migrate({ url, migrations }: { url: string; migrations: Migrations }): Promise<string[]> {
  const pool = () => createPool({ connectionString: url, application_name: 'migrate', max: 2 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const schema = await ownSchema(db);
    if ((await missingMigrations(db, Object.keys(migrations))).length === 0) return [];
    const loaded = Object.entries(migrations).map(async ([name, load]) => [name, limited(await load())] as const);
    const known = Object.fromEntries(await Promise.all(loaded));
    const migrator = new Migrator({
      db,
      provider: { getMigrations: async () => known },
      // Otherwise the migrator would use another service's table of the same name in this database.
      migrationTableSchema: schema,
    });
    const applied: string[] = [];
    let triedFrom = Date.now();
    for (;;) {
      const { error, results = [] } = await migrator.migrateUp();
      if (error) {
        if (!(isConflict(error) || isLocked(error)) || Date.now() - triedFrom > patienceMs) throw error;
        await setTimeout(pauseMs);
        continue;
      }
      if (results.length === 0) return applied;
      applied.push(...results.map(({ migrationName }) => migrationName));
      triedFrom = Date.now();
    }
  } finally {
    await db.destroy();
  }
}

/** Sets the limits in the migration's transaction, where they count over those of the role and of the URL. */
const limited = ({ up }: Migration): Migration => ({
  up: async (tx) => {
    await sql.raw(limits).execute(tx);
    await up(tx);
  },
});

/** Reads which migrations a schema lacks: all of them where it was never migrated. */
export const missingMigrations = async (db: Reader, names: readonly string[]): Promise<string[]> => {
  const table = sql<{ table: string | null }>`select to_regclass(current_schema() || '.kysely_migration') as table`;
  if ((await table.execute(db)).rows[0]?.table == null) return [...names];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const applied = new Set(rows.map(({ name }) => name));
  return names.filter((name) => !applied.has(name));
};

async function ownSchema(db: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  const name = rows[0]?.name;
  if (!name) throw new Error('The role has no schema of its own: its search_path names none that exists');
  return name;
}
