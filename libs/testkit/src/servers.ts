import { randomBytes } from 'node:crypto';
import { type Bus, connectBus, declareRegisters } from '@cardinal/bus';
import type { DatabaseOwner } from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { inDatabase, type Nats, startNats } from '@cardinal/servers';
import { atEndOfFile } from './run/end-of-file.ts';
import { copyTemplate, roleUrls, templates } from './run/postgres.ts';
import { scratchFolder, shared } from './run/worker.ts';

export type TestDatabase = Awaited<ReturnType<typeof testDatabase>>;

/**
 * A fresh database on the run's Postgres, gone with the run. Without a service: roles and empty schemas, `url` being the
 * card service's. With one: every table of every service.
 */
export const testDatabase = async ({ service }: { service?: DatabaseOwner } = {}) => {
  const postgres = await shared<string>('postgres');
  const template = service ? await shared<string>('migrated-template') : templates.empty;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await copyTemplate(postgres, name, template);
  const urls = roleUrls(postgres, name);
  return {
    /** URL of the role of the service asked for, whose schema its search_path names. */
    url: urls[service ?? 'card'],
    /** URL of each service's role in this database. */
    urls,
    /** Superuser in this database. */
    adminUrl: inDatabase(postgres, name),
    name,
  };
};

export type TestNats = Awaited<ReturnType<typeof testNats>>;

/** A nats-server of one's own with JetStream, gone with the test file at the latest. */
export const testNats = async () => {
  const dir = scratchFolder('nats');
  const users = [{ name: 'test', password: 'test' }];
  let server: Nats = await startNats({ dir, users });
  atEndOfFile(() => server.stop());
  const { url, port } = server;
  return {
    /** A user that may do everything; stays the same over restarts. */
    url,
    /** Ends the server at once, as a crash would. */
    kill: () => server.stop('SIGKILL'),
    /** Starts it again after `kill` or `stop`: same port, same store. */
    restart: async () => {
      await server.stop();
      server = await startNats({ dir, users, port });
    },
    stop: () => server.stop(),
  };
};

/**
 * A connection to a broker, drained with the test file; a call over it may take a minute.
 * @param name of the service whose side it is; of nobody's in particular where left out
 */
export const testBus = async (url: string, name = 'test'): Promise<Bus> => {
  const logger = createLogger({ service: name, level: 'silent' });
  const bus = await connectBus({ url, name, logger, callTimeoutMs: 60_000 });
  atEndOfFile(() => bus.drain());
  return bus;
};

/** A database and a broker of one's own, with what a deployment declares there, and a caller on the bus. */
export const testSurroundings = async (of?: Parameters<typeof testDatabase>[0]) => {
  const [{ urls, adminUrl }, nats] = await Promise.all([testDatabase(of), testNats()]);
  await declareRegisters({ url: nats.url });
  return { urls, adminUrl, nats, natsUrl: nats.url, bus: await testBus(nats.url) };
};
