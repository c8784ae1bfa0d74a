import { databaseOwners } from '@cardinal/contracts';
import { checkDatabase } from '@cardinal/db';
import { createLogger, waitForServer } from '@cardinal/runtime';
import { ensureExtensions, ensureRole } from '@cardinal/servers';
import { readRolesConfig } from './config.ts';

/** Makes or updates extensions, and each service's role and schema, with the password that the environment says. */
const config = readRolesConfig();
const { DATABASE_URL: url } = config;
const logger = createLogger({ service: 'roles', level: 'info' });
await waitForServer(logger, () => checkDatabase(url, { oldest: 16, mayCreate: true }));
await ensureExtensions(url);
for (const owner of databaseOwners) {
  const name = `${owner.toUpperCase() as Uppercase<typeof owner>}_DATABASE_PASSWORD` as const;
  await ensureRole(url, owner, config[name]);
}
logger.info({ services: databaseOwners }, 'roles and schemas are there');
