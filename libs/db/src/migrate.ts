import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { createPool } from './pool.ts';

/** Options of {@link migrate}. */
export interface MigrateOptions {
  /** `postgres://…` of the role that owns the schema its search_path names first. */
  url: string;
  /** Every migration by name; they run in the order of their names. */
  migrations: Record<string, Migration>;
}

/** A migration may take longer than any request may; it still must not queue behind a forgotten lock for ever. */
const settings = { options: '-c statement_timeout=0 -c lock_timeout=60s -c idle_in_transaction_session_timeout=0' };

/**
 * Brings the role's own schema up to date, all missing migrations in one transaction: one that fails leaves nothing.
 * Safe to run from several processes at once. Returns the names of those applied now.
 */
export async function migrate({ url, migrations }: MigrateOptions): Promise<string[]> {
  const pool = () => createPool({ url, name: 'migrate', poolSize: 2, settings });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const { error, results } = await new Migrator({
      db,
      provider: { getMigrations: async () => migrations },
      // Else the migrator would take another service's table of the same name in this database for ours.
      migrationTableSchema: await ownSchema(db),
    }).migrateToLatest();
    if (error) throw error;
    return (results ?? []).map((result) => result.migrationName);
  } finally {
    await db.destroy();
  }
}

async function ownSchema(db: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  const name = rows[0]?.name;
  if (!name) throw new Error('The role has no schema of its own: its search_path names none that exists');
  return name;
}
