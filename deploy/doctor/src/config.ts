import type { Broker } from '@cardinal/bus';
import { type DatabaseOwner, databaseOwners, forEachOwner } from '@cardinal/contracts';
import { ConfigError, lastStartedNats, ownDatabaseName, runningPostgres, stateFolder } from '@cardinal/servers';

/** What names the database of a service; where it does not, `DATABASE_URL` does. */
const variableOf = (service: DatabaseOwner) => `${service.toUpperCase()}_DATABASE_URL`;
const urlOf = (service: DatabaseOwner) => process.env[variableOf(service)] || process.env.DATABASE_URL || undefined;

/**
 * What the environment names, or all of the stack that runs here; never some of each, since one would be compared with
 * the other. Without a URL of the broker that is not looked at.
 * @throws ConfigError where there is nothing to look at, or a service's database is not named
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
