import { checkDatabase, type Migrations, migrate } from '@cardinal/db';
import { createLogger, waitForServer } from '@cardinal/runtime';
import { migrationConfig, readConfig } from './config.ts';

/** Migrates a service's schema as the whole work of a process, and logs it. Waits up to 30 s for Postgres. */
export const runMigrations = async (service: string, migrations: Migrations): Promise<void> => {
  const { DATABASE_URL: url, LOG_LEVEL: level } = readConfig(migrationConfig);
  const logger = createLogger({ service, level });
  await waitForServer(logger, () => checkDatabase(url));
  logger.info({ applied: await migrate({ url, migrations }) }, 'migrated');
};
