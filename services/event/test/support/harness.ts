import { type FeedOwner, feedOwners } from '@cardinal/contracts';
import { migrate, openDatabase } from '@cardinal/db';
import { runStatements } from '@cardinal/servers';
import { atEndOfFile, testSurroundings } from '@cardinal/testkit';
import type { Tables } from '../../src/context.ts';
import { readRaw } from '../../src/log/read.ts';
import { migrations } from '../../src/migrations/index.ts';
import { type Instance, startInstance } from './instance.ts';
import { type Owner, startOwner } from './owner.ts';

/** A database and a broker of one's own, the owners' feeds, a caller on the bus, and instances of the event service. */
export const startHarness = async ({ instances: count = 1 }: { instances?: number } = {}) => {
  const surroundings = await testSurroundings();
  const { urls, adminUrl, natsUrl } = surroundings;
  await migrate({ url: urls.event, migrations });
  const owners = {} as Record<FeedOwner, Owner>;
  for (const owner of feedOwners) owners[owner] = await startOwner(owner, { databaseUrl: urls[owner], natsUrl });
  const where = { databaseUrl: urls.event, natsUrl };
  const instances: Instance[] = [];
  for (let at = 0; at < count; at += 1) instances.push(await startInstance(where));
  const db = openDatabase<Tables>({ url: urls.event, name: 'test', poolSize: 5, connectTimeoutMs: 60_000 });
  atEndOfFile(() => db.close());
  /** The whole log of a workspace. */
  const readAll = async (workspaceId: string) => {
    const events = [];
    for (let after = 0; ; ) {
      const read = await db.read((tx) => readRaw(tx, { workspaceId, after, limit: 1_000 }));
      events.push(...read.events);
      after = read.through;
      if (after >= read.last) return events;
    }
  };
  /** Has the database server end all connections to the database of this test but one. */
  const breakConnections = () =>
    runStatements(adminUrl, [
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    ]);
  return { ...surroundings, breakConnections, where, owners, instances, db, readAll };
};
export type Harness = Awaited<ReturnType<typeof startHarness>>;
