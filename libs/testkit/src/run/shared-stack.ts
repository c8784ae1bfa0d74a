import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runStatements } from '@cardinal/servers';
import { buildStack, type Stack } from '../stack/build.ts';
import { roleUrls, type SharedPostgres } from './shared-postgres.ts';

/** Starts the stack that the run's acceptance tests share. */
export const startSharedStack = async (run: string, postgres: SharedPostgres, template: string): Promise<Stack> => {
  const database = 'shared_stack';
  await runStatements(postgres.url, [`create database ${database} template ${template}`]);
  const dir = join(run, 'stack');
  mkdirSync(dir, { recursive: true });
  // Nothing in it is ever away, so that whatever waits waits for a slow machine.
  const env = { gateway: { REQUEST_TIMEOUT_MS: '30000' } };
  return buildStack({ dir, keys: join(run, 'keys'), databases: roleUrls(postgres, database) }, { env });
};
