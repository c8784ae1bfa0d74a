import { existsSync } from 'node:fs';
import { superuserPassword } from './cluster.ts';
import { portOf } from './leftover.ts';
import { rememberedData } from './places.ts';
import { inDatabase } from './roles.ts';

/** The database of a Postgres that we run ourselves. */
export const ownDatabaseName = 'cardinal';

/**
 * The URL of a database of the Postgres that runs on the data of `dir`, as superuser; undefined where none runs.
 */
export const runningPostgres = (dir: string, database: string): string | undefined => {
  const data = existsSync(dir) ? rememberedData(dir) : undefined;
  const port = data && portOf(data);
  if (!port) return undefined;
  const password = superuserPassword(dir, () => '');
  return inDatabase(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`, database);
};
