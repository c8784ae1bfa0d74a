import type { DatabaseOwner } from '@cardinal/contracts';
import { type Database, openDatabase } from '@cardinal/db';
import { ConfigError } from '@cardinal/servers';
import { type RawBuilder, sql, type Transaction } from 'kysely';

/** Queries are plain SQL here: the table types of a service are private to it. */
type Tables = Record<never, never>;
export type Tx = Transaction<Tables>;

/** The databases of the services; each may be on a server of its own. */
export type Sources = ReturnType<typeof openSources>;

const longestStatementMs = 300_000;

/**
 * Opens the services' databases.
 * @param urlOf the URL of a service's database, with a role that may read its schema, and write it for repairs
 */
export const openSources = (services: readonly DatabaseOwner[], urlOf: (service: DatabaseOwner) => string) => {
  const opened = new Map<string, Database<Tables>>();
  const open = (url: string): Database<Tables> => {
    const options = { url, name: 'cardinal-doctor', poolSize: 4, statementTimeoutMs: longestStatementMs };
    const database = opened.get(url) ?? openDatabase<Tables>(options);
    opened.set(url, database);
    return database;
  };
  const of = (service: DatabaseOwner) => open(urlOf(service));
  const read = async <Row>(service: DatabaseOwner, query: RawBuilder<Row>): Promise<Row[]> =>
    (await of(service).read((tx) => query.execute(tx))).rows;
  const complaint = async (service: DatabaseOwner): Promise<string[]> => {
    const table = `${service}.kysely_migration`;
    try {
      const [row] = await read(service, sql<{ there: boolean }>`select to_regclass(${table}) is not null as there`);
      return row?.there ? [] : [`${service}: its database has no table ${table}`];
    } catch (error) {
      return [`${service}: ${reasonOf(error)}`];
    }
  };
  return {
    of,
    /** Returns the rows of a query. */
    read,
    /** Runs a statement in a transaction of its own. @returns how many rows it changed */
    write: async (service: DatabaseOwner, statement: RawBuilder<unknown>): Promise<number> => {
      const { numAffectedRows = 0n } = await of(service).transaction((tx) => statement.execute(tx));
      return Number(numAffectedRows);
    },
    /** @throws ConfigError with every service whose tables cannot be read */
    check: async (): Promise<void> => {
      const complaints = (await Promise.all(services.map(complaint))).flat();
      if (complaints.length > 0) throw new ConfigError(complaints.join('\n'));
    },
    close: async (): Promise<void> => {
      await Promise.all([...opened.values()].map((database) => database.close()));
    },
  };
};

/** An error and its causes, in one line. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `: ${reasonOf(error.cause)}`;
  return `${error.message.split('\n', 1)[0]}${cause}`;
};
