/**
 * The Kysely types of all tables of a schema, the same text for the same tables. Types are those of `openDatabase`: int8
 * is a number, timestamptz a Date.
 * @param url a database in which the service's migrations ran
 * @param schema the service's
 */
export const tableTypes = async (url: string, schema: string): Promise<string> => {
  const { generate, PostgresDialect } = await import('kysely-codegen');
  const options = { defaultSchemas: [schema] };
  const dialect = new PostgresDialect(options);
  const db = await dialect.introspector.connect({ connectionString: url, dialect });
  try {
    return await generate({
      ...{ ...options, db, dialect, outFile: null },
      includePattern: `${schema}.*`,
      excludePattern: '*.kysely_migration*',
      typeMapping: { int8: 'number' },
    });
  } finally {
    await db.destroy();
  }
};
