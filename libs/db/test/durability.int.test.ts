import { serveMetrics } from '@cardinal/runtime';
import { runStatements } from '@cardinal/servers';
import { eventually as eventuallyPasses, scrape } from '@cardinal/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { durabilityGauges, readDurability, sqlGauges } from '../src/index.ts';
import { eventually, open, recordingLogger } from './fixtures.ts';
import { startPair } from './pair.ts';

it('reads which settings lose acknowledged commits, how many standbys a commit waits for, and their lag', async () => {
  const { primary, standby } = await startPair();
  await runStatements(primary.url, [`create role reader login password 'reader'`]);
  const url = primary.url.replace(/\/\/.*@/, '//reader:reader@');
  const look = () => open(url).read(readDurability);
  const set = (...settings: string[]) =>
    runStatements(primary.url, [...settings.map((one) => `alter system set ${one}`), 'select pg_reload_conf()']);
  await eventually(look).toEqual({ unsafe: '', standbys: 1, awaited: 0, lag: 0 });
  const ofStandby = await open(standby.url).read(readDurability);
  expect(ofStandby, 'a standby, which has none of its own').toEqual({ unsafe: '', standbys: 0, awaited: 0, lag: 0 });

  await set(`synchronous_standby_names = 'ANY 1 (standby, other)'`);
  await eventually(look).toMatchObject({ awaited: 1 });
  await set(`synchronous_standby_names = 'first 2 (*)'`);
  await eventually(look).toMatchObject({ awaited: 2 });
  await set(`synchronous_standby_names = 'standby'`);
  await eventually(look).toMatchObject({ awaited: 1 });
  await runStatements(primary.url, ['alter role reader set synchronous_commit = local']);
  await eventually(look).toMatchObject({ awaited: 0, unsafe: '' });
  await runStatements(primary.url, ['alter role reader reset all']);

  await set(`synchronous_standby_names = ''`, 'fsync = off', 'synchronous_commit = off', 'full_page_writes = off');
  await eventually(look).toMatchObject({ unsafe: 'fsync, full_page_writes, synchronous_commit', awaited: 0 });

  // It receives nothing any more, and its connection is still open.
  const [receiver] = await runStatements(standby.url, ['select pid from pg_stat_wal_receiver']);
  const { pid } = receiver as { pid: number };
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => void process.kill(pid, 'SIGCONT'));
  await runStatements(primary.url, [
    'create table filled as select md5(n::text) as text from generate_series(1, 50000) as n',
  ]);
  const metrics = await serveMetrics({ port: 0, host: '127.0.0.1', logger: recordingLogger().logger });
  onTestFinished(() => metrics.close());
  sqlGauges(open(url), durabilityGauges);
  await eventuallyPasses(async () => {
    const { value } = await scrape(`http://127.0.0.1:${metrics.port}/metrics`);
    expect(value('cardinal_database_unsafe_settings')).toBe(3);
    expect(value('cardinal_database_standbys')).toBe(1);
    expect(value('cardinal_database_awaited_standbys')).toBe(0);
    expect(value('cardinal_database_standby_lag_bytes')).toBeGreaterThan(1_000_000);
  });
});
