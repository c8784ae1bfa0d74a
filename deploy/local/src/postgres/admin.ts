import { openDatabase } from '@cardinal/db';
import { sql } from 'kysely';

/**
 * Runs statements one after the other, outside of any transaction.
 * @returns the rows of the last one
 */
export const runStatements = async (url: string, statements: string[]): Promise<unknown[]> => {
  const database = openDatabase({ url, name: 'cardinal-deploy', poolSize: 1, statementTimeoutMs: 60_000 });
  try {
    let rows: unknown[] = [];
    for (const statement of statements) rows = (await database.read((db) => sql.raw(statement).execute(db))).rows;
    return rows;
  } finally {
    await database.close();
  }
};
