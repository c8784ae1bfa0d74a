import { spawn } from 'node:child_process';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import {
  ConfigError,
  compileCache,
  natsBinary,
  repository,
  runStatements,
  searchPath,
  startChild,
  waitFor,
} from '@cardinal/servers';
import { scratchFolder, testDatabase, testNats } from '@cardinal/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { checkChosen } from '../src/chosen-servers.ts';

type Environment = Partial<Record<'DATABASE_URL' | 'NATS_URL' | 'JWKS_URL' | 'TOKEN_ISSUER', string>>;

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

const silent = await listening(createServer((socket) => socket.on('error', () => {})));
const web = await listening(createWebServer((_, response) => response.end()));
// Nobody is given this one: a port that was free a moment ago may be another test's by now.
const dead = 2;
const database = await testDatabase();
const { url: nats } = await testNats();
await runStatements(database.adminUrl, [
  `create role ${database.name}_plain login password 'plain'`,
  `create role ${database.name}_roles login createrole password 'roles'`,
]);
const withoutJetStream = await startChild({
  command: await natsBinary(),
  args: ['-a', '127.0.0.1', '-p', '-1'],
  logFile: join(scratchFolder('nats'), 'log'),
});
afterAll(() => withoutJetStream.stop('SIGKILL'));
const plain = await waitFor(() => /client connections on 127\.0\.0\.1:(\d+)/.exec(withoutJetStream.output())?.[1], {
  timeoutMs: 20_000,
  child: withoutJetStream,
});
if (plain === undefined) throw new Error(`nats-server did not start: ${withoutJetStream.lastWords()}`);

/** The test's database as another role, or with whatever else of its URL changed. */
const changed = (over: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'port' | 'search'>>) =>
  Object.assign(new URL(database.adminUrl), over).href;
const as = (role: string, password = role) => changed({ username: `${database.name}_${role}`, password });
const at = new URL(database.adminUrl).host;
const wrongForNats = nats.replace(/\/\/.*@/, '//test:wrong@');

const form = 'it must look like postgres://user:password@host:5432/database';
const busForm = 'it must look like nats://user:password@host:4222';
const nobody = `nothing listens at 127.0.0.1:${dead}; start it there, or correct host and port`;
const noDatabase = `Postgres at ${at} has no database "lost"; correct it, or: create database "lost"`;
const noUser = `NATS at ${new URL(nats).host} refuses user and password; correct them`;

describe('npm start says in one line what is wrong with', () => {
  it.each([
    ['DATABASE_URL', 'nonsense', `is no URL; ${form}`],
    [
      'DATABASE_URL',
      'mysql://root@localhost/x',
      `begins with mysql:, but Cardinal keeps its data in Postgres; ${form}`,
    ],
    ['DATABASE_URL', 'postgres:///cardinal', `names no host; ${form}`],
    ['DATABASE_URL', 'postgres://u:p@nowhere.invalid/x', 'the host "nowhere.invalid"'],
    ['DATABASE_URL', changed({ port: String(dead) }), nobody],
    [
      'DATABASE_URL',
      changed({ port: String(silent) }),
      `127.0.0.1:${silent} says nothing that Postgres would, for 3 s; correct host and port`,
    ],
    [
      'DATABASE_URL',
      as('plain', 'wrong'),
      `${at} refuses the password of "${database.name}_plain"; correct user or password`,
    ],
    ['DATABASE_URL', changed({ pathname: '/lost' }), noDatabase],
    ['DATABASE_URL', as('plain'), `lets the role "${database.name}_plain" make no roles; take another, or: alter role`],
    [
      'DATABASE_URL',
      as('roles'),
      `lets the role "${database.name}_roles" make no schemas; take another, or: grant create on database`,
    ],
    [
      'DATABASE_URL',
      changed({ search: '?sslmode=verify-full' }),
      `Postgres at ${at} cannot be used: The server does not support SSL connections`,
    ],
    ['NATS_URL', 'nonsense', `is no URL; ${busForm}`],
    ['NATS_URL', 'amqp://localhost', `begins with amqp:, but Cardinal's bus is NATS; ${busForm}`],
    ['NATS_URL', 'nats://nowhere.invalid', 'the host "nowhere.invalid"'],
    ['NATS_URL', `nats://127.0.0.1:${dead}`, nobody],
    [
      'NATS_URL',
      `nats://127.0.0.1:${web}`,
      `127.0.0.1:${web} does not greet as NATS does; correct host and port (NATS itself is at 4222)`,
    ],
    ['NATS_URL', wrongForNats, noUser],
    [
      'NATS_URL',
      `nats://127.0.0.1:${plain}`,
      `NATS at 127.0.0.1:${plain} has no JetStream for this user; start it as: nats-server --jetstream`,
    ],
    ['JWKS_URL', `http://127.0.0.1:${dead}/jwks`, nobody],
    ['JWKS_URL', `http://127.0.0.1:${web}/jwks`, `127.0.0.1:${web} gives no keys (`],
    ['TOKEN_ISSUER', `http://127.0.0.1:${web}/realms/work`, `127.0.0.1:${web} gives no discovery document (`],
  ])('%s (row %#)', async (variable, url, problem) => {
    const { DATABASE_URL: databaseUrl, NATS_URL, JWKS_URL, TOKEN_ISSUER = '' } = { [variable]: url } as Environment;
    const broker = NATS_URL ? { url: NATS_URL, ca: undefined } : undefined;
    const keysPlace = JWKS_URL || TOKEN_ISSUER ? { JWKS_URL, TOKEN_ISSUER } : undefined;
    const refused: unknown = await checkChosen({ databaseUrl, broker, keysPlace }).catch((error) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    const { message } = refused as ConfigError;
    expect(message).toMatch(RegExp(`^${variable}: .+$`));
    expect(message).toContain(problem);
    expect(message).not.toContain('wrong');
  });

  it('both servers at once, and starts nothing', async () => {
    const chosen = { DATABASE_URL: 'nonsense', NATS_URL: `nats://127.0.0.1:${dead}` };
    const given = { CARDINAL_STATE: scratchFolder('state'), PORT: '0', ...chosen };
    const err = `DATABASE_URL: is no URL; ${form}\nNATS_URL: ${nobody}\n`;
    expect(await run('deploy/local/src/start.ts', given)).toEqual({ code: 1, out: '', err });
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

  it.each([
    ['card', changed({ pathname: '/lost' }), nats, `DATABASE_URL: ${noDatabase}`],
    ['identifier', database.url, wrongForNats, `NATS_URL: ${noUser}`],
  ])('ends with one line where %s is given what cannot be', async (service, DATABASE_URL, NATS_URL, message) => {
    const { code, out } = await run(`services/${service}/src/main.ts`, { DATABASE_URL, NATS_URL });
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(1);
    expect(lines.filter(({ level }) => level === 'fatal').map(({ msg }) => msg)).toEqual([message]);
  });
});
