import { startChild } from '../processes/child.ts';
import { lastLines, readLog, sizeOf } from '../processes/log-tail.ts';
import { ServiceFailure } from './failure.ts';
import { program } from './program.ts';

/**
 * Runs `services/<name>/src/migrate.ts` as the service's own role.
 * @param build the checkout whose migrations run: this one where left out
 * @throws ServiceFailure with what it printed when it fails
 */
export const migrateService = async (
  name: string,
  databaseUrl: string,
  logFile: string,
  build?: string,
): Promise<void> => {
  const from = sizeOf(logFile);
  const env = { DATABASE_URL: databaseUrl };
  const child = await startChild(program({ service: name, file: 'src/migrate.ts', env, logFile, build }));
  const { code } = await child.exited;
  if (code !== 0) throw new ServiceFailure(name, 'could not be migrated', lastLines(readLog(logFile, from)));
};
