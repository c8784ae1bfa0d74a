import { changeDatabaseUrl, serversOf } from '@cardinal/runtime';
import { freePort } from '@cardinal/servers';
import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { checkDatabase } from '../src/index.ts';
import { eventually, open, select } from './fixtures.ts';
import { startPair } from './pair.ts';

/** The first URL with the host of the second one after its own. */
const both = (first: string, second: string) => {
  const { host } = new URL(first);
  return first.replace(host, `${host},${new URL(second).host}`);
};

it('finds the writable host, whichever it is, and the other one after a failover', async () => {
  const { primary, standby } = await startPair();
  const url = both(standby.url, primary.url);
  await checkDatabase(url, { oldest: 16, mayCreate: true });
  const isStandby = `Postgres at ${serversOf(standby.url)} is a standby, which takes no writes; name its primary too (host1,host2)`;
  await expect(checkDatabase(standby.url)).rejects.toThrow(`DATABASE_URL: ${isStandby}`);

  const db = open(`${url}?target_session_attrs=read-write`, { poolSize: 4 });
  const write = (id: number) => db.statement((tx) => sql`insert into things values (${id})`.execute(tx));
  await db.transaction((tx) => sql`create table things (id int primary key)`.execute(tx));
  await Promise.all(Array.from({ length: 8 }, (_, id) => write(id)));
  const count = 'select count(*)::int as n from things';
  await eventually(() => select(open(standby.url), count)).toEqual([{ n: 8 }]);

  const before = db.serverGeneration();
  await primary.stop('SIGKILL');
  await eventually(() => write(100).catch((error) => error.cause?.code)).toBe('25006');
  await expect(checkDatabase(url)).rejects.toMatchObject({
    kind: 'starting',
    message:
      `DATABASE_URL: ${isStandby}; nothing listens at ${serversOf(primary.url)}; ` +
      'start it there, or correct host and port',
  });
  await select(open(standby.url), 'select pg_promote()');
  await eventually(() => write(101).then(() => 'written', String)).toBe('written');
  expect(await select(db, count)).toEqual([{ n: 9 }]);
  expect(db.serverGeneration()).toBeGreaterThan(before);
});

it('names the problem of each of several hosts', async () => {
  const { adminUrl } = await testDatabase();
  const nobody = changeDatabaseUrl(adminUrl, { username: 'nobody' });
  await expect(checkDatabase(both(nobody, `postgres://127.0.0.1:${await freePort()}`))).rejects.toThrow(
    /^DATABASE_URL: .* refuses the password of "nobody"; .*; nothing listens at .*$/,
  );
});
