import { join } from 'node:path';
import { repository } from '../config.ts';
import { startChild } from '../processes/child.ts';
import { lastLines, readLog, sizeOf } from '../processes/log-tail.ts';
import { ServiceFailure } from './failure.ts';

/**
 * Runs `services/<name>/src/migrate.ts` as the service's own role.
 * @throws ServiceFailure with what it printed when it fails
 */
export const migrateService = async (name: string, databaseUrl: string, logFile: string): Promise<void> => {
  const from = sizeOf(logFile);
  const child = await startChild({
    command: process.execPath,
    args: [join(repository, 'services', name, 'src/migrate.ts')],
    cwd: repository,
    env: { DATABASE_URL: databaseUrl },
    logFile,
  });
  const { code } = await child.exited;
  if (code !== 0) throw new ServiceFailure(name, 'could not be migrated', lastLines(readLog(logFile, from)));
};
