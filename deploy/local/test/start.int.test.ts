import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { serviceNames } from '@cardinal/contracts';
import { commandOf, ensureKeys, freePort } from '@cardinal/servers';
import { api, eventually, scratchFolder } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoUser, demoWorkspace } from '../src/demo.ts';
import { isUp, look, oneOf, processesOf, promised, run, somebody } from './npm-start.ts';

/** Another issuer of tokens, and the environment that makes Cardinal accept them. */
const anIssuer = async () => {
  const server = createHttpServer(({ url }, response) => {
    const document = JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks` });
    response.end(url === '/jwks' ? readFileSync(keys.jwksPath) : document);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = await ensureKeys(scratchFolder('keys'), { issuer, audience: 'work' });
  return { sign: keys.sign, env: { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: 'work, another' } };
};

/** Uploads a file where the stack says. */
const uploads = async (baseUrl: string, token: string) => {
  const made = await api(baseUrl, token).post<{ upload: { url: string; headers: Record<string, string> } }>('/files', {
    body: { name: 'notes.txt' },
  });
  const { url, headers } = made.body.data.upload;
  expect(new URL(url).hostname).not.toBe('0.0.0.0');
  expect((await fetch(url, { method: 'PUT', headers, body: 'notes' })).ok).toBe(true);
};

/** What a stack stopped, in this order. */
const stoppedBy = (stack: ReturnType<typeof run>) =>
  [...stack.out().matchAll(/(\w+) stopped$/gm)].map((match) => match[1]);
const everything = ['services', 'NATS', 'Postgres'];

const metricsOf = (stack: ReturnType<typeof run>) =>
  [...stack.out().matchAll(/(http:\S+\/metrics) \(([\w ]+)\)/g)].map(([, url = '', name]) => ({ url, name }));

describe('npm start', () => {
  // One story, since starting a stack costs more than all that is looked at.
  it('comes up with a demo, refuses a second start, heals, survives its own death, then listens and takes tokens as configured, until its folder is removed, and leaves nothing', async () => {
    const state = scratchFolder('state');
    const port = await freePort();
    const first = run(state, port);
    const demo = await promised(first);
    const before = await look(demo);
    expect(before.data.is_alias).toBe(true);
    expect(first.out()).toContain('files will be checked for type only, as CLAMD_URL is not set\n');
    // It goes into a file here, or a log: no token does.
    expect(first.out()).not.toMatch(/eyJ/);
    const metrics = metricsOf(first);
    expect(metrics.map(({ name }) => name)).toEqual(['all services']);
    expect(first.out()).toContain('npm start -- --apart');

    const second = run(state, await freePort());
    expect(await second.ended()).toBe(1);
    expect(second.err()).toMatch(/^Cardinal is running already at http:\/\/127\.0\.0\.1:\d+ \(process \d+\)\n$/);

    const names = ['deploy/together/', 'nats-server', '/bin/postgres'];
    const killed = names.map((name) => ({ name, pid: oneOf(state, name).pid }));
    for (const { pid } of killed) process.kill(pid, 'SIGKILL');
    for (const { name, pid } of killed) await eventually(() => expect(oneOf(state, name).pid).not.toBe(pid));
    await eventually(() => isUp(port));
    for (const { url } of metrics) expect((await fetch(url)).status).toBe(200);

    first.child.kill('SIGKILL');
    await first.ended();
    const left = processesOf(state).filter(({ pid }) => commandOf(pid));
    expect(left.length).toBeGreaterThanOrEqual(3);

    const issuer = await anIssuer();
    const third = run(state, port, {
      HOST: '0.0.0.0',
      ...issuer.env,
      RATE_LIMIT_MAX: '9',
      RATE_LIMIT_WINDOW_MS: '600000',
    });
    const banner = await eventually(() => {
      const found = /^Cardinal runs at (\S+)$.*TOKEN_ISSUER.*there is no demo workspace/ms.exec(third.out());
      if (!found) throw new Error(`not up yet: ${third.out()}${third.err()}`);
      return found[1] ?? '';
    });
    expect(left.filter(({ pid }) => commandOf(pid))).toEqual([]);
    expect(banner).toBe(`http://127.0.0.1:${port}/api/kanban/v1`);
    expect((await fetch(demo.url, { headers: { authorization: `Bearer ${demo.token}` } })).status).toBe(401);
    const token = await issuer.sign({ workspace: demoWorkspace, user: demoUser, scope: 'kanban:read kanban:write' });
    const after = await look({ url: demo.url, token });
    expect(after.data.card.id).toBe(before.data.card.id);
    await uploads(banner, token);
    const boards = async () =>
      (await fetch(`${banner}/boards`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await Promise.all(Array.from({ length: 10 }, boards))).toContain(429);

    const last = processesOf(state);
    rmSync(state, { recursive: true });
    expect(await third.ended()).toBe(1);
    expect(third.out()).toContain(`${state} was removed while the stack runs on it; stopping\n`);
    expect(third.err()).toBe(`The data in ${state} is gone; npm start begins anew\n`);
    expect(stoppedBy(third)).toEqual(everything);
    expect(last.filter(({ pid }) => commandOf(pid))).toEqual([]);
    expect(existsSync(join(state, 'run.json'))).toBe(false);
  });

  it('runs each service as a process of its own with --apart, heals, and stops all of them in order', async () => {
    const state = scratchFolder('state');
    const port = await freePort();
    const stack = run(state, port, {}, {}, ['--apart']);
    const demo = await promised(stack);
    const metrics = metricsOf(stack);
    expect(new Set(metrics.map(({ name }) => name))).toEqual(new Set(serviceNames));
    const killed = ['services/card/', 'services/gateway/'].map((name) => ({ name, pid: oneOf(state, name).pid }));
    for (const { pid } of killed) process.kill(pid, 'SIGKILL');
    for (const { name, pid } of killed) await eventually(() => expect(oneOf(state, name).pid).not.toBe(pid));
    await eventually(() => isUp(port));
    for (const { url } of metrics) expect((await fetch(url)).status).toBe(200);
    expect((await look(demo)).data.is_alias).toBe(true);
    stack.child.kill('SIGTERM');
    expect(await stack.ended()).toBe(0);
    expect(stoppedBy(stack)).toEqual([...serviceNames.toReversed(), 'NATS', 'Postgres']);

    const unknown = run(state, port, {}, {}, ['--together']);
    expect(await unknown.ended()).toBe(1);
    expect(unknown.err()).toContain('Usage: npm start [-- --apart]');
  });

  it('ends where its data was removed and Postgres crashed, and makes no empty database in its place', async () => {
    const state = scratchFolder('state');
    const stack = run(state, await freePort());
    await promised(stack);
    const { data } = JSON.parse(readFileSync(join(state, 'postgres/data-folder.json'), 'utf8')) as { data: string };
    rmSync(data, { recursive: true });
    process.kill(oneOf(state, '/bin/postgres').pid, 'SIGKILL');
    expect(await stack.ended()).toBe(1);
    expect(stack.err()).toBe(`The data in ${state} is gone; npm start begins anew\n`);
    expect(existsSync(data)).toBe(false);
  });

  it('says in one line that its host is no address of this machine, or its port taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const [elsewhere, taken] = [
      run(scratchFolder('state'), 8080, { HOST: '192.0.2.1' }),
      run(scratchFolder('state'), port),
    ];
    expect([await elsewhere.ended(), await taken.ended()]).toEqual([1, 1]);
    expect(elsewhere.err()).toBe(
      'HOST: nothing can listen at 192.0.2.1 (EADDRNOTAVAIL); it must be an address of this machine\n',
    );
    expect(taken.err()).toBe(`port ${port} is taken; choose another one: PORT=${port + 1} npm start\n`);
  });

  it('says before anything starts which settings its services would not take', async () => {
    const stack = run(scratchFolder('state'), 0, { RATE_LIMIT_MAX: 'x', CHECKS_AT_ONCE: '0', LOG_LEVEL: 'loud' });
    expect(await stack.ended()).toBe(1);
    expect(stack.out()).toBe('');
    expect(stack.err().match(/^[A-Z_]+: must be [\w ]+/gm)).toEqual([
      'LOG_LEVEL: must be one of trace',
      'RATE_LIMIT_MAX: must be a number ',
      'CHECKS_AT_ONCE: must be at least 1 ',
    ]);
  });

  it('says in one line that its folder is not its own', async () => {
    const folder = scratchFolder('state');
    chmodSync(folder, 0o555);
    const stack = run(join(folder, 'state'), await freePort(), {}, somebody);
    expect(await stack.ended()).toBe(1);
    expect(stack.err()).toBe(
      `${join(folder, 'state')} cannot be read or written (EACCES): the folder belongs to another user; clone Cardinal anew as yourself\n`,
    );
  });

  it.each(['Postgres: starting', 'services: starting'])(
    'ends in order when it is interrupted at "%s", and leaves nothing',
    async (line) => {
      const state = scratchFolder('state');
      const stack = run(state, await freePort());
      await eventually(() => expect(stack.out()).toContain(line));
      const begun = processesOf(state);
      stack.child.kill('SIGINT');
      expect(await stack.ended()).toBe(0);
      // Where one was not up yet, it was killed.
      const stopped = stoppedBy(stack);
      expect(stopped).toEqual(everything.filter((name) => stopped.includes(name)));
      if (line.startsWith('services')) expect(stopped).toEqual(expect.arrayContaining(['NATS', 'Postgres']));
      expect(begun.filter(({ pid }) => commandOf(pid))).toEqual([]);
      expect(existsSync(join(state, 'run.json'))).toBe(false);
    },
  );
});
