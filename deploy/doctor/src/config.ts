import type { Broker } from '@cardinal/bus';
import { type DatabaseOwner, databaseOwners, forEachOwner } from '@cardinal/contracts';
import { ConfigError, lastStartedNats, ownDatabaseName, runningPostgres, stateFolder } from '@cardinal/servers';

/** The variable with the URL of a service's database; `DATABASE_URL` is the default. */
const variableOf = (service: DatabaseOwner) => `${service.toUpperCase()}_DATABASE_URL`;
const urlOf = (service: DatabaseOwner) => process.env[variableOf(service)] || process.env.DATABASE_URL || undefined;

/**
 * The servers that the environment names, or all those of the stack that runs here. Never some of each: the doctor would compare
 * two stacks. Without a URL of the broker the register is not checked.
 * @throws ConfigError if there is no stack, or the database of a service is missing
 */
export const readConfig = () => {
  const { NATS_URL, NATS_CA } = process.env;
  const broker: Broker | undefined = NATS_URL ? { url: NATS_URL, ca: NATS_CA || undefined } : undefined;
  const unnamed = databaseOwners.filter((service) => urlOf(service) === undefined);
  if (unnamed.length === 0) return { databaseUrls: forEachOwner((service) => urlOf(service) ?? ''), broker };
  if (unnamed.length < databaseOwners.length) {
    const missing = unnamed.map(variableOf).join(', ');
    throw new ConfigError(`set ${missing} too, or DATABASE_URL for those that have none of their own`);
  }
  const url = runningPostgres(`${stateFolder()}/postgres`, ownDatabaseName);
  if (!url) throw new ConfigError('no stack runs here: start it with `npm start`, or set DATABASE_URL to its database');
  const ours = lastStartedNats(`${stateFolder()}/nats`);
  return { databaseUrls: forEachOwner(() => url), broker: broker ?? (ours === undefined ? undefined : { url: ours }) };
};
