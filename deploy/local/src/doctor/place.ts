import { ConfigError, chosenDatabaseUrl, readConfig } from '../config.ts';
import { lastStartedNats } from '../nats/last-started.ts';
import { ownDatabaseName, runningPostgres } from '../postgres/running.ts';
import { type DatabaseOwner, databaseOwners } from '../services/provision.ts';

/** Where the doctor looks. */
export interface Place {
  databaseUrls: Record<DatabaseOwner, string>;
  /** Undefined where it does not look at a broker. */
  natsUrl: string | undefined;
}

/**
 * What the environment names, or all of the stack that runs here; never some of each, since one would be compared with
 * the other.
 * @throws ConfigError where there is nothing to look at, or a service's database is not named
 */
export const findPlace = (): Place => {
  const { natsUrl, stateFolder } = readConfig();
  const chosen = databaseOwners.map((service) => [service, chosenDatabaseUrl(service)] as const);
  const unnamed = chosen.filter(([, url]) => url === undefined).map(([service]) => service);
  if (unnamed.length === 0) return { databaseUrls: Object.fromEntries(chosen) as Place['databaseUrls'], natsUrl };
  if (unnamed.length < chosen.length) {
    const missing = unnamed.map((service) => `${service.toUpperCase()}_DATABASE_URL`).join(', ');
    throw new ConfigError(`set ${missing} too, or DATABASE_URL for those that have none of their own`);
  }
  const url = runningPostgres(`${stateFolder}/postgres`, ownDatabaseName);
  if (!url) throw new ConfigError('no stack runs here: start it with `npm start`, or set DATABASE_URL to its database');
  return {
    databaseUrls: Object.fromEntries(databaseOwners.map((service) => [service, url])) as Place['databaseUrls'],
    natsUrl: natsUrl ?? lastStartedNats(`${stateFolder}/nats`),
  };
};
