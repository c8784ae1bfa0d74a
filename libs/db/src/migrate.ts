import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';

/** Options of {@link migrate}. */
export interface MigrateOptions {
  /** `postgres://…` of the role that owns the schema its search_path names first. */
  url: string;
  /** Every migration by name; they run in the order of their names. */
  migrations: Record<string, Migration>;
}

/**
 * Brings the role's own schema up to date, all missing migrations in one transaction; one that fails leaves nothing.
 * Safe to run from several processes at once. Returns the names of those applied now.
 */
export async function migrate({ url, migrations }: MigrateOptions): Promise<string[]> {
  // A migration may take longer than any request may; it still must not queue behind a forgotten lock for ever.
  const options = '-c statement_timeout=0 -c lock_timeout=60s -c idle_in_transaction_session_timeout=0';
  const pool = new pg.Pool({ connectionString: url, application_name: 'migrate', max: 2, options });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const schema = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
    const name = schema.rows[0]?.name;
    if (!name) throw new Error('The role has no schema of its own: its search_path names none that exists');
    // Named, because the migrator would take another service's table of the same name in the database for ours.
    const migrator = new Migrator({
      db,
      provider: { getMigrations: async () => migrations },
      migrationTableSchema: name,
    });
    const { error, results } = await migrator.migrateToLatest();
    if (error) throw error;
    return (results ?? []).map((result) => result.migrationName);
  } finally {
    await db.destroy();
  }
}
