import { type Broker, declareRegisters } from '@cardinal/bus';
import { type DatabaseOwner, databaseOwners } from '@cardinal/contracts';
import { ensureDatabase, ensureRoles } from './postgres/roles.ts';
import { migrateHere } from './service.ts';

interface ProvisionOptions {
  /** Of a role that may make roles, schemas and, where `database` is given, databases. */
  databaseUrl: string;
  /** Database to make and use instead of the one that `databaseUrl` names. */
  database?: string;
  passwords: Record<DatabaseOwner, string>;
  /** As a user that may declare registers; none are declared without it. */
  broker?: Broker;
}

/**
 * Everything that must be there before the services start: database, roles, schemas, tables, registers. Repeating it
 * changes nothing.
 * @returns the URL that each service connects with
 */
export const provision = async (options: ProvisionOptions) => {
  const adminUrl = options.database ? await ensureDatabase(options.databaseUrl, options.database) : options.databaseUrl;
  const databaseUrls = await ensureRoles(adminUrl, options.passwords);
  await Promise.all([
    ...databaseOwners.map((name) => migrateHere(name, databaseUrls[name])),
    options.broker && declareRegisters(options.broker),
  ]);
  return databaseUrls;
};
