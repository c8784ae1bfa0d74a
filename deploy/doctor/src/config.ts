import {
  ConfigError,
  type DatabaseOwner,
  databaseOwners,
  lastStartedNats,
  ownDatabaseName,
  runningPostgres,
  stateFolder,
} from '@cardinal/servers';

/** Where the doctor looks. */
export interface DoctorConfig {
  databaseUrls: Record<DatabaseOwner, string>;
  /** Undefined where it does not look at a broker. */
  natsUrl: string | undefined;
}

/** `CARD_DATABASE_URL` for the card service and so on; `DATABASE_URL` where a service has none of its own. */
const databaseUrlOf = (service: DatabaseOwner): string | undefined =>
  process.env[`${service.toUpperCase()}_DATABASE_URL`] || process.env.DATABASE_URL || undefined;

const forEach = (urlOf: (service: DatabaseOwner) => string) =>
  Object.fromEntries(databaseOwners.map((service) => [service, urlOf(service)])) as DoctorConfig['databaseUrls'];

/**
 * What the environment names, or all of the stack that runs here; never some of each, since one would be compared with
 * the other.
 * @throws ConfigError where there is nothing to look at, or a service's database is not named
 */
export const readConfig = (): DoctorConfig => {
  const natsUrl = process.env.NATS_URL || undefined;
  const unnamed = databaseOwners.filter((service) => databaseUrlOf(service) === undefined);
  if (unnamed.length === 0) return { databaseUrls: forEach((service) => databaseUrlOf(service) ?? ''), natsUrl };
  if (unnamed.length < databaseOwners.length) {
    const missing = unnamed.map((service) => `${service.toUpperCase()}_DATABASE_URL`).join(', ');
    throw new ConfigError(`set ${missing} too, or DATABASE_URL for those that have none of their own`);
  }
  const url = runningPostgres(`${stateFolder()}/postgres`, ownDatabaseName);
  if (!url) throw new ConfigError('no stack runs here: start it with `npm start`, or set DATABASE_URL to its database');
  return { databaseUrls: forEach(() => url), natsUrl: natsUrl ?? lastStartedNats(`${stateFolder()}/nats`) };
};
