import { writeFile } from 'node:fs/promises';
import { Kysely, PostgresDialect as KyselyPostgres } from 'kysely';
import { generate, PostgresDialect } from 'kysely-codegen';
import pg from 'pg';

/** Options of {@link generateTableTypes}. */
export interface TableTypesOptions {
  /** A database in which the service's migrations ran. */
  url: string;
  /** The service's schema. */
  schema: string;
  /** Where to write; leave out to only get the text. */
  outFile?: string;
}

/**
 * The Kysely types of all tables of one schema, the same text for the same tables. Types are those of `openDatabase`:
 * int8 is a number, timestamptz a Date.
 */
export async function generateTableTypes({ url, schema, outFile }: TableTypesOptions): Promise<string> {
  const pool = new pg.Pool({ connectionString: url, max: 5 });
  const db = new Kysely({ dialect: new KyselyPostgres({ pool }) });
  try {
    const text = await generate({
      db,
      dialect: new PostgresDialect({ defaultSchemas: [schema] }),
      defaultSchemas: [schema],
      includePattern: `${schema}.*`,
      excludePattern: '*.kysely_migration*',
      typeMapping: { int8: 'number' },
      outFile: null,
    });
    if (outFile) await writeFile(outFile, text);
    return text;
  } finally {
    await db.destroy();
  }
}
