import { databaseOwners, forEachOwner } from '@cardinal/contracts';
import { checkDatabase } from '@cardinal/db';
import { createLogger, waitForServer } from '@cardinal/runtime';
import { ensureRoles } from '@cardinal/servers';
import { readRolesConfig } from './config.ts';

/** Makes or updates extensions, and each service's role and schema, with the password that the environment says. */
const config = readRolesConfig();
const { DATABASE_URL: url } = config;
const logger = createLogger({ service: 'roles', level: 'info' });
await waitForServer(logger, () => checkDatabase(url, { oldest: 16, mayCreate: true }));
await ensureRoles(
  url,
  forEachOwner((owner) => config[`${owner.toUpperCase() as Uppercase<typeof owner>}_DATABASE_PASSWORD`]),
);
logger.info({ services: databaseOwners }, 'roles and schemas are there');
