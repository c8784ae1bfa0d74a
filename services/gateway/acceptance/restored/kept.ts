import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runStatements } from '@cardinal/servers';
import type { World } from '@cardinal/testkit';

/** The files of a folder that contain one of the texts. */
export const filesWith = (folder: string, some: readonly Buffer[]): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file);
      return some.some((one) => bytes.includes(one));
    });

/** The tables of all services that contain one of the texts. */
export const tablesWith = async (world: World, some: readonly string[]): Promise<string[]> => {
  const tables = (await runStatements(world.adminUrl, [
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')
     order by schemaname, tablename`,
  ])) as { name: string }[];
  const found: string[] = [];
  for (const { name } of tables) {
    const likes = some.map((one) => `strpos(row::text, '${one}') > 0`).join(' or ');
    const rows = await runStatements(world.adminUrl, [`select 1 from ${name} as row where ${likes} limit 1`]);
    if (rows.length > 0) found.push(name);
  }
  return found;
};
