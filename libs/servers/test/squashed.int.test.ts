import { join } from 'node:path';
import type { DatabaseOwner } from '@cardinal/contracts';
import { lastWithChains } from '@cardinal/db';
import { scratchFolder, testDatabase } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { buildOf, migrateService, postgresClient, runStatements } from '../src/index.ts';

const chains = buildOf(lastWithChains);
const client = await postgresClient();
const owners: DatabaseOwner[] = ['attachment', 'dependency', 'identifier', 'card'];

/** Everything that a schema consists of, as text, without the migrator's own tables. */
const dumpOf = async (url: string, owner: string) => {
  if (typeof client === 'string') throw new Error(client);
  const text = await client('pg_dump', [
    ...['--schema-only', '--restrict-key=same', `--schema=${owner}`, `--exclude-table=${owner}.kysely_migration*`],
    url,
  ]);
  // Named after what their columns were called at first, and used by nobody.
  return text.replace(/ CONSTRAINT \w+_not_null NOT NULL/g, ' NOT NULL');
};

describe.skipIf(!chains || typeof client === 'string').each(owners)('the one migration of %s', (owner) => {
  const log = join(scratchFolder('squashed'), `${owner}.log`);
  const database = async () => {
    const { urls, adminUrl } = await testDatabase();
    return {
      dump: () => dumpOf(adminUrl, owner),
      migrate: (build?: string) => migrateService(owner, urls[owner], log, build),
      names: () => runStatements(urls[owner], ['select name from kysely_migration']),
    };
  };

  it('makes what the chain in its place made, and takes over a database that the chain made', async () => {
    const [fresh, kept] = [await database(), await database()];
    await Promise.all([fresh.migrate(), kept.migrate(chains)]);
    await Promise.all([kept.migrate(), kept.migrate()]);
    expect(await kept.names()).toEqual(await fresh.names());
    const made = await fresh.dump();
    expect(made).toContain('CREATE TABLE');
    expect(await kept.dump()).toBe(made);
  });
});
