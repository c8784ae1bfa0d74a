import { startChild } from '../processes/child.ts';
import { lastLines, readLog, sizeOf } from '../processes/log-tail.ts';
import { ServiceFailure } from './failure.ts';
import { program } from './program.ts';

/**
 * Runs `services/<name>/src/migrate.ts` as the service's own role.
 * @throws ServiceFailure with what it printed when it fails
 */
export const migrateService = async (name: string, databaseUrl: string, logFile: string): Promise<void> => {
  const from = sizeOf(logFile);
  const child = await startChild(program(name, 'src/migrate.ts', { DATABASE_URL: databaseUrl }, logFile));
  const { code } = await child.exited;
  if (code !== 0) throw new ServiceFailure(name, 'could not be migrated', lastLines(readLog(logFile, from)));
};
