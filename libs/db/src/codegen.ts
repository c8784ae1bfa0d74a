import { Kysely, PostgresDialect as KyselyPostgres } from 'kysely';
import { generate, PostgresDialect } from 'kysely-codegen';
import pg from 'pg';

/**
 * The Kysely types of all tables of one schema, the same text for the same tables. Types are those of `openDatabase`:
 * int8 is a number, timestamptz a Date.
 * @param url a database in which the service's migrations ran
 * @param schema the service's
 */
export async function generateTableTypes({ url, schema }: { url: string; schema: string }): Promise<string> {
  const pool = new pg.Pool({ connectionString: url, max: 5 });
  const db = new Kysely({ dialect: new KyselyPostgres({ pool }) });
  try {
    return await generate({
      db,
      dialect: new PostgresDialect({ defaultSchemas: [schema] }),
      defaultSchemas: [schema],
      includePattern: `${schema}.*`,
      excludePattern: '*.kysely_migration*',
      typeMapping: { int8: 'number' },
      outFile: null,
    });
  } finally {
    await db.destroy();
  }
}
