import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, startChild } from '@cardinal/servers';
import { eventually, pgbouncerPaths, scratchFolder, testDatabase } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkDatabase, migrate, openDatabase, prepared } from '../src/index.ts';
import { migrations, open, select } from './fixtures.ts';

const pgbouncer = pgbouncerPaths().find((path) => existsSync(path)) ?? '';

/** A PgBouncer in front of a database of the test's own. */
const pooled = async (settings: Record<string, string>) => {
  const { url, name } = await testDatabase();
  const [server, port, dir] = [new URL(url), await freePort(), scratchFolder('pgbouncer')];
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(dir, 'users.txt'),
    ...settings,
  };
  const lines = Object.entries(all).map(([setting, value]) => `${setting} = ${value}`);
  const databases = `[databases]\n* = host=${server.hostname} port=${server.port}\n`;
  writeFileSync(all.auth_file, `"${server.username}" "${server.password}"\n`, { mode: 0o644 });
  writeFileSync(join(dir, 'pgbouncer.ini'), `${databases}[pgbouncer]\n${lines.join('\n')}\n`, { mode: 0o644 });
  // It refuses to run as root.
  const as = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const logFile = join(dir, 'log');
  const child = await startChild({ command: pgbouncer, args: [...as, join(dir, 'pgbouncer.ini')], logFile });
  onTestFinished(() => child.stop('SIGINT', 2_000));
  await eventually(() => expect(child.output()).toContain('process up'));
  const { username, password } = server;
  return { direct: url, url: `postgres://${username}:${password}@127.0.0.1:${port}/${name}` };
};

const refusal = /^DATABASE_URL: a pooler at 127.0.0.1:\d+ gives each transaction another connection; set it to session/;

describe.skipIf(pgbouncer === '')('PgBouncer (skipped where it is neither installed nor at PGBOUNCER_BIN)', () => {
  it.each([
    ['transactions', { pool_mode: 'transaction' }],
    ['transactions over one connection', { pool_mode: 'transaction', default_pool_size: '1' }],
    ['transactions over connections round-robin', { pool_mode: 'transaction', server_round_robin: '1' }],
    ['statements', { pool_mode: 'statement' }],
  ])('is refused where it pools %s, at rest and under load', async (_, settings) => {
    const { url } = await pooled(settings);
    const check = () => expect(checkDatabase(url)).rejects.toThrow(refusal);
    await check();
    const db = open(url, { poolSize: 5 });
    let busy = true;
    const clients = Array.from({ length: 5 }, async () => {
      while (busy) await select(db, 'select pg_sleep(0.001)').catch(() => {});
    });
    onTestFinished(() => Promise.all(clients).then(() => {}));
    onTestFinished(() => {
      busy = false;
    });
    for (let round = 0; round < 10; round += 1) await check();
  });

  it('works where it pools sessions: statements are prepared, and a replaced server is detected', async () => {
    const { url, direct } = await pooled({ pool_mode: 'session', default_pool_size: '5' });
    await checkDatabase(url);
    await migrate({ url: direct, migrations });
    const add = prepared<{ sum: number }>('add-pooled', 'select $1::integer + $2::integer as sum');
    // The second pool gets the connections of the first one.
    for (const round of [1, 2]) {
      const db = openDatabase({ url, name: 'test', poolSize: 3 });
      const sums = await Promise.all([1, 2, 3].map((n) => db.transaction((tx) => add.run(tx, [n, round]))));
      expect(sums).toEqual([1, 2, 3].map((n) => [{ sum: n + round }]));
      await db.close();
    }
    const db = open(url, { poolSize: 3 });
    await select(db, 'select 1');
    const before = db.serverGeneration();
    await select(
      open(direct),
      `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await eventually(async () => {
      await select(db, 'select 1');
      expect(db.serverGeneration()).toBeGreaterThan(before);
    });
  });
});
