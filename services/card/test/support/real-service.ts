import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceEnvironment, startService } from '@cardinal/servers';
import { atEndOfFile } from '@cardinal/testkit';
import type { Fixture } from './fixture.ts';

/** Starts a real service as a process on the fixture; it ends with the test file. */
export const startReal = async (
  { urls, natsUrl }: Pick<Fixture, 'urls' | 'natsUrl'>,
  name: 'card' | 'identifier',
  env: Record<string, string> = {},
) => {
  const logs = mkdtempSync(join(tmpdir(), 'cardinal-card-test-'));
  const service = await startService({
    name,
    env: { ...serviceEnvironment({ natsUrl, databaseUrl: urls[name] }), LOG_LEVEL: 'info', ...env },
    logFile: join(logs, `${name}.log`),
  });
  atEndOfFile(async () => {
    await service.stop();
    rmSync(logs, { recursive: true, force: true });
  });
  return service;
};
