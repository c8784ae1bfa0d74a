import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { eventually, scratchFolder } from '@cardinal/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import {
  commandOf,
  copyCluster,
  type Postgres,
  promoteStandby,
  runStatements,
  signalRecovery,
  startPostgres,
} from '../src/index.ts';

const settings = { fsync: 'off', shared_buffers: '16MB' };
const running: Postgres[] = [];
/** Data outside of the run's folder. */
const removed: string[] = [];
const start = async (dir: string, port?: number) => {
  const postgres = await startPostgres({ dir, settings, ...(port ? { port } : {}) });
  running.push(postgres);
  return postgres;
};

afterEach(async () => {
  for (const postgres of running.splice(0)) await postgres.stop('SIGQUIT');
  for (const folder of removed.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('startPostgres', () => {
  it('keeps the data over a stop and a kill, and over the server that a killed run left on it', async () => {
    const dir = scratchFolder('pg');
    const first = await start(dir);
    await runStatements(first.url, ['create table kept (id int)', 'insert into kept values (1)']);
    await first.stop();
    const second = await start(dir);
    await runStatements(second.url, ['insert into kept values (2)']);
    await second.stop('SIGKILL');
    const third = await start(dir, second.port);
    expect(third.port).toBe(second.port);
    expect(await runStatements(third.url, ['select id from kept order by id'])).toEqual([{ id: 1 }, { id: 2 }]);
    const next = await start(dir);
    expect(commandOf(third.pid)).toBeUndefined();
    expect(await runStatements(next.url, ['select id from kept order by id'])).toEqual([{ id: 1 }, { id: 2 }]);

    // A stale postmaster.pid may name a process that only happens to have the number: this one.
    const pidFile = join(next.data, 'postmaster.pid');
    const lines = readFileSync(pidFile, 'utf8').split('\n');
    await next.stop('SIGKILL');
    writeFileSync(pidFile, [String(process.pid), ...lines.slice(1)].join('\n'));
    const last = await start(dir);
    expect(await runStatements(last.url, ['select 1 as one'])).toEqual([{ one: 1 }]);
  });

  it('makes a cluster anew whose making was cut off', async () => {
    const dir = scratchFolder('pg');
    mkdirSync(join(dir, 'data'));
    writeFileSync(join(dir, 'data/PG_VERSION'), '18\n');
    const postgres = await start(dir);
    expect(await runStatements(postgres.url, ['select 1 as one'])).toEqual([{ one: 1 }]);
  });

  it('keeps its data where no other user can enter, and begins anew with a new folder of that name', async () => {
    const dir = scratchFolder('pg');
    chmodSync(dir, 0o700);
    const first = await start(join(dir, 'state'));
    await runStatements(first.url, ['create table kept (id int)']);
    await first.stop();
    const again = await start(join(dir, 'state'));
    expect(again.data).toBe(first.data);
    expect(await runStatements(again.url, ['select * from kept'])).toEqual([]);
    await again.stop();
    rmSync(join(dir, 'state'), { recursive: true });
    const anew = await start(join(dir, 'state'));
    await expect(runStatements(anew.url, ['select * from kept'])).rejects.toThrow(/does not exist/);
    for (const { data } of [first, anew]) if (!data.startsWith(dir)) removed.push(data);
  });

  it('makes no empty cluster where a restart finds its data gone', async () => {
    const dir = scratchFolder('pg');
    const first = await start(dir);
    await first.stop();
    rmSync(first.data, { recursive: true });
    await expect(startPostgres({ dir, settings, isRestart: true })).rejects.toThrow(`its data in ${dir} is gone`);
    expect(existsSync(first.data)).toBe(false);
  });

  it('says why it cannot start', async () => {
    const dir = scratchFolder('pg');
    // As it is once its cluster is made.
    mkdirSync(join(dir, 'data'));
    writeFileSync(join(dir, 'data/cardinal-initialised'), '');
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(startPostgres({ dir, settings, port })).rejects.toThrow(`port ${port} is taken`);
    other.close();
  });
});

describe('copyCluster', () => {
  it('copies a cluster that is written to as it is at one moment, to be started or to be set back to', async () => {
    const [dir, copy] = [scratchFolder('pg'), scratchFolder('pg')];
    const living = await start(dir);
    await runStatements(living.url, ['create table kept (id int primary key)']);
    let written = 0;
    let stopped = false;
    const writing = (async () => {
      // A connection may give up where the cluster stands still for long; what it wrote then may be there.
      const insert = () =>
        runStatements(living.url, [`insert into kept values (${written + 1}) on conflict do nothing`]);
      for (; !stopped; written += 1) await eventually(insert);
    })();
    await eventually(() => expect(written).toBeGreaterThan(5));
    const before = written;
    await copyCluster(living.pid, dir, copy);
    const after = written + 1;
    await eventually(() => expect(written).toBeGreaterThan(after));
    stopped = true;
    await writing;

    const count = 'select count(*)::int as count, max(id) as last from kept';
    const idsIn = async ({ url }: Postgres) =>
      (await runStatements(url, [count]))[0] as { count: number; last: number };
    signalRecovery(copy, 'standby');
    const standby = await start(copy);
    await promoteStandby(copy);
    const { count: copied, last } = await idsIn(standby);
    expect(copied).toBe(last);
    expect(copied).toBeGreaterThanOrEqual(before);
    expect(copied).toBeLessThanOrEqual(after);
    await runStatements(standby.url, ['insert into kept values (0)']);

    await standby.stop();
    await living.stop('SIGKILL');
    await copyCluster(undefined, copy, dir);
    expect(await idsIn(await start(dir, living.port))).toEqual({ count: copied + 1, last });
  });
});
