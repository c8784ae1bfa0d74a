import { join } from 'node:path';
import { busUserNames } from '@cardinal/bus';
import { databaseOwners } from '@cardinal/contracts';
import { hostUrls } from '@cardinal/runtime';
import {
  declareBusStreams,
  ensureKeys,
  ensurePasswords,
  filesEnvironment,
  freePort,
  gatewayEnvironment,
  hereHost,
  type Nats,
  ownDatabaseName,
  type Postgres,
  provision,
  publicHost,
  type Service,
  serviceEnvironment,
  startNats,
  startPostgres,
  startService,
  urlOf,
} from '@cardinal/servers';
import { keepStreams, watchForRoom } from './broker-watch.ts';
import { explained } from './chosen-servers.ts';
import type { LocalConfig } from './config.ts';
import { rotateLogs } from './logs.ts';
import { chosenSettings } from './settings.ts';
import { say, supervise } from './supervise.ts';

/** Receives each part as soon as it runs, so that whoever is interrupted knows what to stop. */
export type Began = (part: { stop(): Promise<void> }) => void;

const postgres = async (dir: string, began: Began) => {
  say('Postgres: starting');
  const { first, ...part } = await supervise<Postgres>('Postgres', (former) =>
    startPostgres({ dir: join(dir, 'postgres'), logFile: join(dir, 'logs/postgres.log'), port: former?.port }),
  );
  began(part);
  return { databaseUrl: first.url, database: ownDatabaseName };
};

const nats = async (dir: string, streamBytes: number, began: Began): Promise<Nats['urls']> => {
  say('NATS: starting');
  const [folder, logFile] = [join(dir, 'nats'), join(dir, 'logs/nats.log')];
  const { first, restart, ...part } = await supervise<Nats>('NATS', async (former) => {
    const server = await startNats({ dir: folder, logFile, tell: (line) => say(`NATS: ${line}`), port: former?.port });
    // It may have lost its folder: the services fill the stream again, but they do not make it.
    if (former) {
      await declareBusStreams(server, streamBytes).catch((error) => server.stop().then(() => Promise.reject(error)));
    }
    return server;
  });
  began(part);
  const onStuck = async () => {
    say('NATS takes no events since its disk was full, and there is room again');
    await restart();
  };
  began(watchForRoom({ folder, logFile, onStuck }));
  return first.urls;
};

const service = async (name: string, env: Record<string, string>, dir: string, began: Began) => {
  say(`${name}: starting`);
  const logFile = join(dir, `logs/${name}.log`);
  const { first, ...part } = await supervise<Service>(name, (former) =>
    startService({ name, logFile, env: former ? { ...env, PORT: String(former.port) } : env }),
  );
  began(part);
  return first;
};

/**
 * Starts everything in order: Postgres and NATS (unless others are chosen), what they must hold, the services, the gateway
 * last.
 * @returns the gateway's port, where each service has its metrics, and a name for the database that the data went to
 */
export const startStack = async (config: LocalConfig, began: Began) => {
  const dir = config.stateFolder;
  began(rotateLogs(join(dir, 'logs')));
  const server = config.databaseUrl ? { databaseUrl: config.databaseUrl } : await postgres(dir, began);
  const chosen = config.broker;
  const bus = chosen
    ? Object.fromEntries(busUserNames.map((name) => [name, chosen.url]))
    : await nats(dir, config.streamBytes, began);
  say('database, roles, migrations, streams');
  const broker = { url: bus.deploy ?? '', ca: chosen?.ca };
  const databaseUrls = await provision({
    ...server,
    passwords: ensurePasswords(join(dir, 'database-passwords.json'), databaseOwners),
    broker,
    streamBytes: config.streamBytes,
    logFile: join(dir, 'logs/migrate.log'),
  }).catch((error) => Promise.reject(explained(error, config)));
  began(keepStreams(broker, config.streamBytes, (line) => say(`NATS: ${line}`)));
  const { signing } = ensurePasswords(join(dir, 'url-secret.json'), ['signing']);
  const files = await filesSettings(config, signing);
  const running: Service[] = [];
  for (const name of databaseOwners) {
    const env = serviceEnvironment({ databaseUrl: databaseUrls[name], natsUrl: bus[name] ?? '', natsCa: chosen?.ca });
    running.push(
      await service(name, { ...(name === 'attachment' ? files : chosenSettings(name)), ...env }, dir, began),
    );
  }
  const { jwksPath } = await ensureKeys(join(dir, 'keys'));
  const chosenGateway = chosenSettings('gateway');
  const env = {
    // Where the user names keys, ours are not trusted beside them.
    ...gatewayEnvironment({
      natsUrl: bus.gateway ?? '',
      natsCa: chosen?.ca,
      jwks: config.tokens.keysFrom ? '' : jwksPath,
    }),
    ...chosenGateway,
    HOST: config.host,
    PORT: String(config.port),
    // Known before it listens, to stay the same.
    METRICS_PORT: String(Number(chosenGateway.METRICS_PORT) || (await freePort())),
  };
  const { port, metricsPort } = await service('gateway', env, dir, began);
  const metricsHost = hereHost(chosenGateway.METRICS_HOST ?? '127.0.0.1');
  const metrics = [
    { name: 'gateway', url: `${urlOf(metricsHost, metricsPort)}/metrics` },
    ...running.map(({ name, port }) => ({ name, url: `${urlOf('127.0.0.1', port)}/metrics` })),
  ];
  return { port, database: nameOf(config.databaseUrl ?? 'postgres://embedded/cardinal'), metrics };
};

/** Servers and database of a URL, without what is secret in it. */
const nameOf = (url: string) => {
  const urls = hostUrls(url).map((one) => new URL(one));
  return `${urls.map(({ host }) => host).join(',')}${urls[0]?.pathname}`;
};

/** Of the attachment service: ours where the user has not chosen. Its port is known before it listens, to stay the same. */
const filesSettings = async ({ stateFolder, host }: LocalConfig, secret: string): Promise<Record<string, string>> => {
  const chosen = chosenSettings('attachment');
  if (!chosen.CLAMD_URL) say('files will be checked for type only, as CLAMD_URL is not set');
  const port = Number(chosen.FILES_PORT) || (await freePort());
  const listener = chosen.FILES_HOST ?? host;
  return {
    ...filesEnvironment({ folder: join(stateFolder, 'files'), port, secret }),
    FILES_HOST: listener,
    PUBLIC_URL: urlOf(publicHost(listener), port),
    ...chosen,
    FILES_PORT: String(port),
  };
};
