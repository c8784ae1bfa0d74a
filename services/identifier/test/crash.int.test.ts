import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveIdentifier } from '@cardinal/contracts';
import { startService } from '@cardinal/local';
import { type Failpoint, newContext, runInContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { aCaller, askForNumber, startWorld, type World } from './support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

const startProcess = async (env: { FAILPOINT?: Failpoint; PENDING_AGE_MS?: string } = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'identifier-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const service = await startService({
    name: 'identifier',
    env: { DATABASE_URL: world.databaseUrl, NATS_URL: world.natsUrl, PENDING_SWEEP_INTERVAL_MS: '100', ...env },
    logFile: join(folder, 'log'),
  });
  onTestFinished(() => service.stop().then(() => {}));
  return service;
};

test.each<Failpoint>(['before-allocation-commit', 'after-allocation-commit'])(
  'killed %s: the operation asks again and has one number, and none is burnt',
  async (FAILPOINT) => {
    const caller = aCaller();
    const operation = { operation_id: v7(), card_id: v7() };
    const dying = await startProcess({ FAILPOINT });
    const asking = runInContext(newContext({ timeoutMs: 4_000 }), () => askForNumber(world, caller, operation));
    const [lost] = await Promise.allSettled([asking, dying.exited]);
    expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });

    const service = await startProcess();
    expect(await askForNumber(world, caller, operation)).toMatchObject({ number: 1 });
    expect(await askForNumber(world, caller, operation)).toMatchObject({ number: 1 });
    expect(await askForNumber(world, caller)).toMatchObject({ number: 2 });
    await service.stop();
  },
);

test('killed with numbers pending: the next process settles them without being asked', async () => {
  const caller = aCaller();
  const operation = { operation_id: v7(), card_id: v7() };
  const dying = await startProcess();
  await askForNumber(world, caller, operation);
  dying.kill('SIGKILL');
  await dying.exited;

  world.card.committed.set(operation.operation_id, { card_version: 1, assigned_at: '2026-01-01T00:00:00.000Z' });
  await startProcess({ PENDING_AGE_MS: '1' });
  await expect.poll(() => world.card.asked, { timeout: 10_000 }).toContain(operation.operation_id);
  // From here on the lookup cannot settle it any more: only the sweeper can have.
  world.card.committed.clear();
  const lookUp = () => world.bus.call(resolveIdentifier, { ...caller, identifier: 'MAIN-1' });
  await expect.poll(() => lookUp().catch((error) => error.code)).toEqual({ card_id: operation.card_id });
});
