import { type Migrations, migrate } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import { readMigrationConfig } from './config.ts';

/** Brings a service's schema up to date as the whole work of a process, told in its log. */
export const runMigrations = async (service: string, migrations: Migrations): Promise<void> => {
  const { DATABASE_URL: url, LOG_LEVEL: level } = readMigrationConfig();
  const logger = createLogger({ service, level });
  logger.info({ applied: await migrate({ url, migrations }) }, 'migrated');
};
