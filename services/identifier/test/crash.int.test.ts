import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveWorkstream, getWorkstream, openWorkstream } from '@cardinal/contracts';
import { type Failpoint, newContext, runInContext } from '@cardinal/runtime';
import { startService } from '@cardinal/servers';
import { aCaller, aCommand } from '@cardinal/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { startWhole } from './support/instance.ts';
import { askForNumbers, aWorkstream, startWorld } from './support/world.ts';

const world = await startWorld();

/** A process that kills itself at a failpoint. The rest runs in this process, which costs a fifth. */
const startDoomed = async (FAILPOINT: Failpoint) => {
  const folder = mkdtempSync(join(tmpdir(), 'identifier-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const service = await startService({
    name: 'identifier',
    env: { DATABASE_URL: world.databaseUrl, NATS_URL: world.natsUrl, FAILPOINT },
    logFile: join(folder, 'log'),
  });
  onTestFinished(() => service.stop().then(() => {}));
  return service;
};
/** Sends the request that kills the process; the caller need not wait long for an answer. */
const lost = async (asking: () => Promise<unknown>, dying: { exited: Promise<unknown> }) => {
  const asked = runInContext(newContext({ timeoutMs: 2_000 }), asking);
  const [outcome] = await Promise.allSettled([asked, dying.exited]);
  return outcome;
};

test('killed before a grant is answered: a repetition grants the same', async () => {
  const caller = aCaller();
  const dying = await startDoomed('after-grant');
  expect(await lost(() => askForNumbers(world, caller), dying)).toMatchObject({
    status: 'rejected',
    reason: { code: 'unavailable' },
  });
  const service = await startWhole(world);
  expect(await askForNumbers(world, caller)).toMatchObject({ granted_before: 8, granted_through: 8 });
  await service.stop();
});

test.each<Failpoint>(['after-archive-intent', 'after-close', 'before-archive-commit', 'after-archive-commit'])(
  'killed %s: the next process archives without a request, and the repetition gets the answer',
  async (failpoint) => {
    const caller = aCaller();
    const dying = await startDoomed(failpoint);
    const web = await aWorkstream(world, caller, 'WEB');
    const request = { ...caller, workstream_id: web.id, command: aCommand(), if_match: [1] };
    await lost(() => world.bus.call(archiveWorkstream, request), dying);

    const service = await startWhole(world);
    const read = () => world.bus.call(getWorkstream, { ...caller, workstream_id: web.id });
    await expect.poll(read).toMatchObject({ version: 2, archived_at: expect.any(String) });
    expect(world.card.closed).toContain(web.id);
    expect(await world.bus.call(archiveWorkstream, request)).toEqual({ resource: await read(), replayed: true });
    await service.stop();
  },
);

test.each<Failpoint>(['after-opening-intent', 'after-open-range', 'before-opening-commit'])(
  'killed %s: the next process opens without a request, and the repetition gets the answer',
  async (failpoint) => {
    const caller = aCaller();
    const dying = await startDoomed(failpoint);
    const web = await aWorkstream(world, caller, 'WEB', { adopting: true });
    const request = { ...caller, workstream_id: web.id, command: aCommand(), if_match: [1], body: {} };
    await lost(() => world.bus.call(openWorkstream, request), dying);

    const service = await startWhole(world);
    const read = () => world.bus.call(getWorkstream, { ...caller, workstream_id: web.id });
    await expect.poll(read).toMatchObject({ version: 2, adopting: false });
    expect(await world.bus.call(openWorkstream, request)).toEqual({ resource: await read(), replayed: true });
    await service.stop();
  },
);
