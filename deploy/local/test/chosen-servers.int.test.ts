import { spawn } from 'node:child_process';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import {
  ConfigError,
  compileCache,
  freePort,
  natsBinary,
  repository,
  runStatements,
  searchPath,
  startChild,
  waitFor,
  whyNotFree,
} from '@cardinal/servers';
import { scratchFolder, type TestDatabase, testDatabase, testNats } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkChosen } from '../src/chosen-servers.ts';

const run = (script: string, env: Record<string, string>) =>
  new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = spawn(process.execPath, [join(repository, script)], {
      env: { ...compileCache, PATH: searchPath().join(':'), ...env },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    child.once('close', (code) => resolve({ code, out, err }));
  });

const listening = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    server.unref();
  });

let database: TestDatabase;
let nats: string;
// Nobody is given the dead one: a port that was free a moment ago may be another test's by now.
const ports = { silent: 0, web: 0, dead: 2, plain: 0 };
beforeAll(async () => {
  const silent = createServer((socket) => socket.on('error', () => {}));
  const web = createWebServer((_, response) => response.end());
  [ports.silent, ports.web, ports.plain] = [await listening(silent), await listening(web), await freePort()];
  database = await testDatabase();
  nats = (await testNats()).url;
  await runStatements(database.adminUrl, [
    `create role ${database.name}_plain login password 'plain'`,
    `create role ${database.name}_roles login createrole password 'roles'`,
  ]);
  const logFile = join(scratchFolder('nats'), 'log');
  const plain = await startChild({
    command: await natsBinary(),
    args: ['-a', '127.0.0.1', '-p', String(ports.plain)],
    logFile,
  });
  await waitFor(async () => (await whyNotFree(ports.plain)) && true, { timeoutMs: 20_000, child: plain });
  return () => plain.stop('SIGKILL');
});

/** The test's database as another role, or with whatever else of its URL changed. */
const changed = (over: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'port' | 'hostname' | 'search'>>) =>
  Object.assign(new URL(database.adminUrl), over).href;
const as = (role: string) => changed({ username: `${database.name}_${role}`, password: role });
const at = () => new URL(database.adminUrl).host;

const form = 'it must look like postgres://user:password@host:5432/database';
const busForm = 'it must look like nats://user:password@host:4222';

describe('npm start says in one line what is wrong with', () => {
  it.each<[string, () => Record<string, string>, () => string]>([
    ['no URL', () => ({ DATABASE_URL: 'nonsense' }), () => `DATABASE_URL: is no URL; ${form}`],
    [
      'another scheme',
      () => ({ DATABASE_URL: 'mysql://root@localhost/x' }),
      () => `DATABASE_URL: begins with mysql:, but Cardinal keeps its data in Postgres; ${form}`,
    ],
    ['no host', () => ({ DATABASE_URL: 'postgres:///cardinal' }), () => `DATABASE_URL: names no host; ${form}`],
    [
      'an unknown host',
      () => ({ DATABASE_URL: 'postgres://u:p@nowhere.invalid/x' }),
      () => 'the host "nowhere.invalid"',
    ],
    [
      'a dead port',
      () => ({ DATABASE_URL: changed({ port: String(ports.dead) }) }),
      () => `DATABASE_URL: nothing listens at 127.0.0.1:${ports.dead}; start it there, or correct host and port`,
    ],
    [
      'a port that never answers',
      () => ({ DATABASE_URL: changed({ port: String(ports.silent) }) }),
      () => `DATABASE_URL: 127.0.0.1:${ports.silent} says nothing that Postgres would, for 3 s; correct host and port`,
    ],
    [
      'a wrong password',
      () => ({ DATABASE_URL: changed({ username: `${database.name}_plain`, password: 'wrong' }) }),
      () => `DATABASE_URL: ${at()} refuses the password of "${database.name}_plain"; correct user or password`,
    ],
    [
      'a database that is not there',
      () => ({ DATABASE_URL: changed({ pathname: '/lost' }) }),
      () => `DATABASE_URL: Postgres at ${at()} has no database "lost"; correct it, or: create database "lost"`,
    ],
    [
      'a role that may not make roles',
      () => ({ DATABASE_URL: as('plain') }),
      () => `lets the role "${database.name}_plain" make no roles; take another, or: alter role`,
    ],
    [
      'a role that may not make schemas',
      () => ({ DATABASE_URL: as('roles') }),
      () => `lets the role "${database.name}_roles" make no schemas; take another, or: grant create on database`,
    ],
    [
      'TLS where there is none',
      () => ({ DATABASE_URL: changed({ search: '?sslmode=verify-full' }) }),
      () => `DATABASE_URL: Postgres at ${at()} cannot be used: The server does not support SSL connections`,
    ],
    ['no URL of a broker', () => ({ NATS_URL: 'nonsense' }), () => `NATS_URL: is no URL; ${busForm}`],
    [
      'another scheme of a broker',
      () => ({ NATS_URL: 'amqp://localhost' }),
      () => `NATS_URL: begins with amqp:, but Cardinal's bus is NATS; ${busForm}`,
    ],
    ['an unknown host of a broker', () => ({ NATS_URL: 'nats://nowhere.invalid' }), () => 'the host "nowhere.invalid"'],
    [
      'a dead port of a broker',
      () => ({ NATS_URL: `nats://127.0.0.1:${ports.dead}` }),
      () => `NATS_URL: nothing listens at 127.0.0.1:${ports.dead}; start it there, or correct host and port`,
    ],
    [
      'a web server in place of a broker',
      () => ({ NATS_URL: `nats://127.0.0.1:${ports.web}` }),
      () =>
        `NATS_URL: 127.0.0.1:${ports.web} does not greet as NATS does; correct host and port (NATS itself is at 4222)`,
    ],
    [
      'a wrong password for a broker',
      () => ({ NATS_URL: nats.replace(/\/\/.*@/, '//test:wrong@') }),
      () => `NATS_URL: NATS at ${new URL(nats).host} refuses user and password; correct them`,
    ],
    [
      'a broker without JetStream',
      () => ({ NATS_URL: `nats://127.0.0.1:${ports.plain}` }),
      () =>
        `NATS_URL: NATS at 127.0.0.1:${ports.plain} has no JetStream for this user; start it as: nats-server --jetstream`,
    ],
    [
      'a dead port of the keys',
      () => ({ JWKS_URL: `http://127.0.0.1:${ports.dead}/jwks` }),
      () => `JWKS_URL: nothing listens at 127.0.0.1:${ports.dead}; start it there, or correct host and port`,
    ],
    [
      'keys that are none',
      () => ({ JWKS_URL: `http://127.0.0.1:${ports.web}/jwks` }),
      () => `JWKS_URL: 127.0.0.1:${ports.web} gives no keys (`,
    ],
    [
      'a web server that is no issuer',
      () => ({ TOKEN_ISSUER: `http://127.0.0.1:${ports.web}/realms/work` }),
      () => `TOKEN_ISSUER: 127.0.0.1:${ports.web} gives no discovery document (`,
    ],
  ])('%s', async (_, env, message) => {
    const { DATABASE_URL: databaseUrl, NATS_URL, NATS_CA, JWKS_URL, TOKEN_ISSUER = '' } = env();
    const broker = NATS_URL ? { url: NATS_URL, ca: NATS_CA } : undefined;
    const keysPlace = JWKS_URL || TOKEN_ISSUER ? { JWKS_URL, TOKEN_ISSUER } : undefined;
    const refused: unknown = await checkChosen({ databaseUrl, broker, keysPlace }).catch((error) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    const { message: told } = refused as ConfigError;
    expect(told.split('\n')).toEqual([expect.stringContaining(message())]);
    expect(told).not.toContain('wrong');
  });

  it.each<[string, () => Record<string, string>, () => string]>([
    [
      'both servers at once',
      () => ({ DATABASE_URL: 'nonsense', NATS_URL: 'nonsense' }),
      () => `DATABASE_URL: is no URL; ${form}\nNATS_URL: is no URL; ${busForm}\n`,
    ],
    [
      'a server, and starts nothing',
      () => ({ NATS_URL: `nats://127.0.0.1:${ports.dead}` }),
      () => `NATS_URL: nothing listens at 127.0.0.1:${ports.dead}; start it there, or correct host and port\n`,
    ],
  ])('%s', async (_, env, message) => {
    const given = { CARDINAL_STATE: scratchFolder('state'), PORT: '0', ...env() };
    expect(await run('deploy/local/src/start.ts', given)).toEqual({ code: 1, out: '', err: message() });
  });
});

describe('a service that is started by hand', () => {
  it('names every variable that cannot be, in a line each', async () => {
    const { code, err } = await run('services/card/src/main.ts', { DATABASE_URL: 'mysql://x/y', NATS_URL: 'nonsense' });
    expect({ code, err }).toEqual({
      code: 1,
      err: `The configuration is wrong:\nDATABASE_URL: begins with mysql:, but Cardinal keeps its data in Postgres; ${form}\nNATS_URL: is no URL; ${busForm}\n`,
    });
  });

  it.each<[string, string, () => Record<string, string>, () => string]>([
    [
      'a database that is not there',
      'card',
      () => ({ DATABASE_URL: changed({ pathname: '/lost' }), NATS_URL: nats }),
      () => `DATABASE_URL: Postgres at ${at()} has no database "lost"; correct it, or: create database "lost"`,
    ],
    [
      'a wrong password for the broker',
      'identifier',
      () => ({ DATABASE_URL: database.url, NATS_URL: nats.replace(/\/\/.*@/, '//test:wrong@') }),
      () => `NATS_URL: NATS at ${new URL(nats).host} refuses user and password; correct them`,
    ],
  ])('ends at %s, with one line', async (_, service, env, message) => {
    const { code, out } = await run(`services/${service}/src/main.ts`, env());
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(1);
    expect(lines.filter(({ level }) => level === 'fatal').map(({ msg }) => msg)).toEqual([message()]);
  });
});
