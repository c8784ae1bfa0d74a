import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveWorkstream, getWorkstream } from '@cardinal/contracts';
import { startService } from '@cardinal/local';
import { type Failpoint, newContext, runInContext } from '@cardinal/runtime';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { aCaller, aCommand, askForNumbers, aWorkstream, startWorld, type World } from './support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

const startProcess = async (env: { FAILPOINT?: Failpoint } = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'identifier-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const service = await startService({
    name: 'identifier',
    env: { DATABASE_URL: world.databaseUrl, NATS_URL: world.natsUrl, ARCHIVE_SWEEP_INTERVAL_MS: '100', ...env },
    logFile: join(folder, 'log'),
  });
  onTestFinished(() => service.stop().then(() => {}));
  return service;
};

test('killed after a grant that nobody heard of: asking again grants the same', async () => {
  const caller = aCaller();
  const dying = await startProcess({ FAILPOINT: 'after-grant' });
  const asking = runInContext(newContext({ timeoutMs: 4_000 }), () => askForNumbers(world, caller));
  const [lost] = await Promise.allSettled([asking, dying.exited]);
  expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  const service = await startProcess();
  expect(await askForNumbers(world, caller)).toMatchObject({ granted_before: 1_000, granted_through: 1_000 });
  await service.stop();
});

test.each<Failpoint>(['after-archive-intent', 'after-close', 'before-archive-commit', 'after-archive-commit'])(
  'killed %s: the next process archives without being asked, and the repetition gets the answer',
  async (FAILPOINT) => {
    const caller = aCaller();
    const first = await startProcess();
    const web = await aWorkstream(world, caller, 'WEB');
    await first.stop();
    const dying = await startProcess({ FAILPOINT });
    const request = { ...caller, workstream_id: web.id, command: aCommand(), if_match: [1] };
    const archiving = runInContext(newContext({ timeoutMs: 4_000 }), () => world.bus.call(archiveWorkstream, request));
    await Promise.allSettled([archiving, dying.exited]);

    const service = await startProcess();
    const read = () => world.bus.call(getWorkstream, { ...caller, workstream_id: web.id });
    await expect.poll(read, { timeout: 20_000 }).toMatchObject({ version: 2, archived_at: expect.any(String) });
    expect(world.card.closed).toContain(web.id);
    expect(await world.bus.call(archiveWorkstream, request)).toEqual({ resource: await read(), replayed: true });
    await service.stop();
  },
);
