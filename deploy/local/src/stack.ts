import { join } from 'node:path';
import { busUserNames } from '@cardinal/bus';
import { databaseOwners, type ServiceName } from '@cardinal/contracts';
import { hostUrls } from '@cardinal/runtime';
import {
  createStack,
  ensurePasswords,
  freePort,
  ownDatabaseName,
  provision,
  publicHost,
  type Stack,
  urlOf,
} from '@cardinal/servers';
import { keepRegisters, watchForRoom } from './broker-watch.ts';
import { explained } from './chosen-servers.ts';
import type { LocalConfig } from './config.ts';
import { rotateLogs } from './logs.ts';
import { chosenSettings } from './settings.ts';
import { say } from './supervise.ts';

/** Receives each part as soon as it runs, so that an interrupted start knows what to stop. */
export type Began = (part: { stop(): Promise<void> }) => void;

/** A broker of our own. @returns its URL for each user */
const ownBroker = async (stack: Stack, { stateFolder }: LocalConfig, began: Began) => {
  const nats = await stack.nats();
  const onStuck = async () => {
    say('NATS takes no writes since its disk was full, and there is room again');
    await stack.restart('nats');
  };
  began(watchForRoom({ folder: join(stateFolder, 'nats'), logFile: stack.logOf('nats'), onStuck }));
  return nats.process().urls;
};

/**
 * Starts everything in order: Postgres and NATS at once (unless others are chosen), what they must hold, the services, the
 * gateway last. Services that run together load from the beginning on.
 * @param how.apart each service is a process of its own, and not all of them one
 * @returns the gateway's port, where each service has its metrics, and a name for the database that the data went to
 */
export const startStack = async (config: LocalConfig, { apart, began }: { apart: boolean; began: Began }) => {
  const dir = config.stateFolder;
  const logs = join(dir, 'logs');
  began(rotateLogs(logs));
  const stack = createStack({
    dir,
    logs,
    report: say,
    keepUp: (name, { signal, code }) =>
      say(`${name} ended unexpectedly (${signal ?? `exit code ${code}`}); starting it again`),
  });
  began(stack);
  if (!apart) await stack.load();
  const { databaseUrl, broker: chosen } = config;
  const ownDatabase = async () => ({
    databaseUrl: (await stack.postgres()).process().url,
    database: ownDatabaseName,
  });
  const [server, natsUrls] = await Promise.all([
    databaseUrl ? { databaseUrl } : ownDatabase(),
    chosen ? Object.fromEntries(busUserNames.map((name) => [name, chosen.url])) : ownBroker(stack, config, began),
  ]);
  say('database, roles, migrations, registers');
  const broker = { url: natsUrls.deploy ?? '', ca: chosen?.ca };
  const passwords = ensurePasswords(join(dir, 'database-passwords.json'), databaseOwners);
  const databaseUrls = await provision({ ...server, passwords, broker }).catch((error) =>
    Promise.reject(explained(error, config)),
  );
  began(keepRegisters(broker, (line) => say(`NATS: ${line}`)));
  const own: Partial<Record<ServiceName, Record<string, string>>> = {
    attachment: await ofFiles(config),
    event: { ...receivers, ...chosenSettings('event') },
    gateway: await ofGateway(config),
  };
  await stack.services({
    databaseUrls,
    natsUrls,
    natsCa: chosen?.ca,
    together: !apart,
    env: ({ service }, usual) => ({ ...usual, ...(own[service] ?? chosenSettings(service)) }),
  });
  const [gateway] = stack.baseUrls();
  return {
    port: Number(new URL(gateway ?? '').port),
    database: nameOf(databaseUrl ?? 'postgres://embedded/cardinal'),
    metrics: Object.entries(apart ? stack.metricsUrls() : { 'all services': stack.metricsUrls().gateway }),
  };
};

/** Webhooks reach receivers that are tried out on this machine. */
const receivers = { WEBHOOK_HTTP: 'true', WEBHOOK_NETWORKS: '127.0.0.0/8, ::1/128' };

/** Servers and database of a URL, without what is secret in it. */
const nameOf = (url: string) => {
  const urls = hostUrls(url).map((one) => new URL(one));
  return `${urls.map(({ host }) => host).join(',')}${urls[0]?.pathname}`;
};

/** Of the gateway. The port of its metrics is known before it listens, to stay the same. */
const ofGateway = async ({ tokens, host, port }: LocalConfig): Promise<Record<string, string>> => {
  const chosen = chosenSettings('gateway');
  return {
    // Where the user names keys, ours are not trusted beside them.
    ...(tokens.keysFrom && { JWKS_FILE: '' }),
    ...chosen,
    HOST: host,
    PORT: String(port),
    METRICS_PORT: String(Number(chosen.METRICS_PORT) || (await freePort())),
  };
};

/** Of the attachment service: ours where the user has not chosen. Its port is known too. */
const ofFiles = async ({ host }: LocalConfig): Promise<Record<string, string>> => {
  const chosen = chosenSettings('attachment');
  if (!chosen.CLAMD_URL) say('files will be checked for type only, as CLAMD_URL is not set');
  const port = Number(chosen.FILES_PORT) || (await freePort());
  const listener = chosen.FILES_HOST ?? host;
  return {
    FILES_HOST: listener,
    PUBLIC_URL: urlOf(publicHost(listener), port),
    ...chosen,
    FILES_PORT: String(port),
  };
};
