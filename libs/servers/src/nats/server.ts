import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { busUserNames } from '@cardinal/bus';
import { freePort } from '../addresses.ts';
import { ensurePasswords, makePrivateFolder, readIfThere } from '../files.ts';
import { commandOf, endProcess, identityOf, startChild, waitFor } from '../process.ts';
import { natsBinary } from './binary.ts';
import { type BusUser, busUsers, serverConfig } from './server-config.ts';

interface NatsOptions {
  /** Holds the configuration, the JetStream store and, unless `logFile` is given, the log; passwords are beside it. */
  dir: string;
  /** A free one when left out. */
  port?: number | undefined;
  logFile?: string;
  /** Users instead of the services' own; the first one's URL becomes `url`. */
  users?: BusUser[];
  /** Its name, which no other server of its cluster has; `cardinal` where left out. */
  name?: string;
  /** Further configuration as nats-server reads it: a cluster, TLS. */
  further?: string;
  report?: (line: string) => void;
}

/** A nats-server of our own. */
export type Nats = Awaited<ReturnType<typeof startNats>>;

/** True once a server greets on the loopback port. */
const greets = (port: number) =>
  new Promise<true | undefined>((done) => {
    const socket = connect(port, '127.0.0.1');
    const end = (value: true | undefined) => {
      socket.destroy();
      done(value);
    };
    socket.setTimeout(1_000, () => end(undefined));
    socket.once('error', () => end(undefined));
    socket.once('data', (data) => end(data.toString().startsWith('INFO') || undefined));
  });

/** Ends the server that an earlier, killed run left on this folder: two must not share a store. */
const endLeftover = async (pidFile: string, configFile: string) => {
  const pid = Number(readIfThere(pidFile));
  const identity = pid > 0 && commandOf(pid)?.includes(configFile) && identityOf(pid);
  if (identity) await endProcess(pid, identity, ['SIGTERM']);
  rmSync(pidFile, { force: true });
};

/** The program, once this process looked for it. */
let found: Promise<string> | undefined;

/**
 * Starts a nats-server with JetStream on loopback, its store in `dir`.
 * @returns it with the URL of each user by name; `url` is that of the user `deploy`, or of the first of the `users`
 * given
 * @throws Error with the server's last output when it will not start, or how to get a nats-server when there is none
 */
export const startNats = async (options: NatsOptions) => {
  const dir = resolve(options.dir);
  makePrivateFolder(dir);
  const [configFile, pidFile] = [join(dir, 'nats.conf'), join(dir, 'nats.pid')];
  // Every start would ask it for its version again.
  found ??= natsBinary(options.report);
  const binary = await found.catch((error) => {
    found = undefined;
    throw error;
  });
  await endLeftover(pidFile, configFile);
  const port = await freePort(options.port);
  if (options.port && port !== options.port) throw new Error(`nats-server did not start: port ${port} is taken`);
  const users = options.users ?? busUsers(ensurePasswords(`${dir}-passwords.json`, busUserNames));
  const { name, further } = options;
  const config = serverConfig({ name, listen: `127.0.0.1:${port}`, store: join(dir, 'jetstream'), users, further });
  writeFileSync(configFile, config, { mode: 0o600 });
  const logFile = options.logFile ?? join(dir, 'nats.log');
  // Other processes find its number there when it has to reload its configuration.
  const args = ['-c', configFile, '-P', pidFile];
  const child = await startChild({ command: binary, args, logFile });
  if (!(await waitFor(() => greets(port), { timeoutMs: 30_000, child }))) {
    await child.stop('SIGKILL');
    throw new Error(`nats-server did not start: ${child.lastWords()}`);
  }
  const urls: Record<string, string> = Object.fromEntries(
    users.map(({ name, password }) => [name, `nats://${name}:${encodeURIComponent(password)}@127.0.0.1:${port}`]),
  );
  return { ...child, urls, url: urls.deploy ?? Object.values(urls)[0] ?? '', port };
};

/** The URL of the deploy step's user of the nats-server that was last started on `dir`; undefined where none was. */
export const lastStartedNats = (dir: string): string | undefined => {
  const config = readIfThere(join(dir, 'nats.conf'));
  const port = /^listen: "127\.0\.0\.1:(\d+)"$/m.exec(config)?.[1];
  const password = /\{ user: deploy, password: ("[^"]*")/.exec(config)?.[1];
  if (!port || !password) return undefined;
  return `nats://deploy:${encodeURIComponent(JSON.parse(password))}@127.0.0.1:${port}`;
};
