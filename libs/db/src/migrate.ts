import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { createPool, type Reader } from './pool.ts';

/** The migrations of a service by name. They run in the order of names, and each is loaded when it runs. */
export type Migrations = Record<string, () => Promise<Migration>>;

/** A migration may take longer than any request, but must not wait for a forgotten lock for ever. */
const options = '-c statement_timeout=0 -c lock_timeout=60s -c idle_in_transaction_session_timeout=0';

/**
 * Migrates a schema, the first one in the search_path of the URL's role. Each missing migration is a transaction of its
 * own: one that fails leaves nothing, and none holds its locks while the next one runs, which would block requests. It
 * is safe to run from several processes at once. A schema of a later release stays as it is: its migrations only added
 * to it.
 * @returns the names of the migrations that it applied
 */
export async function migrate({ url, migrations }: { url: string; migrations: Migrations }): Promise<string[]> {
  const pool = () => createPool({ connectionString: url, application_name: 'migrate', max: 2, options });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const schema = await ownSchema(db);
    if ((await missingMigrations(db, Object.keys(migrations))).length === 0) return [];
    const loaded = Object.entries(migrations).map(async ([name, load]) => [name, await load()] as const);
    const known = Object.fromEntries(await Promise.all(loaded));
    const migrator = new Migrator({
      db,
      provider: { getMigrations: async () => known },
      // Otherwise the migrator would use another service's table of the same name in this database.
      migrationTableSchema: schema,
    });
    const applied: string[] = [];
    for (;;) {
      const { error, results = [] } = await migrator.migrateUp();
      if (error) throw error;
      if (results.length === 0) return applied;
      applied.push(...results.map(({ migrationName }) => migrationName));
    }
  } finally {
    await db.destroy();
  }
}

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
