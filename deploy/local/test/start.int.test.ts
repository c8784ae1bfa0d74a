import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { eventually, scratchFolder } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandOf, ensureKeys, freePort } from '../src/index.ts';
import { isUp, look, oneOf, processesOf, promised, run } from './start-scene.ts';

describe('npm start', () => {
  it('comes up with a demo, refuses a second start, heals, survives its own death, and leaves nothing', async () => {
    const state = scratchFolder('state');
    const port = await freePort();
    const first = run(state, port);
    const before = await look(await promised(first));
    expect(before.data.is_alias).toBe(true);
    expect(first.out()).toContain('files will be checked for type only, as CLAMD_URL is not set\n');

    const second = run(state, await freePort());
    expect(await second.exit).toBe(1);
    expect(second.err()).toMatch(/^Cardinal is running already at http:\/\/127\.0\.0\.1:\d+ \(process \d+\)\n$/);

    for (const name of [
      'services/card/',
      'services/identifier/',
      'services/gateway/',
      'nats-server',
      '/bin/postgres',
    ]) {
      const { pid } = oneOf(state, name);
      process.kill(pid, 'SIGKILL');
      await eventually(() => expect(oneOf(state, name).pid).not.toBe(pid), { timeoutMs: 30_000 });
      await eventually(() => isUp(port), { timeoutMs: 30_000 });
    }

    first.child.kill('SIGKILL');
    await first.exit;
    const left = processesOf(state).filter(({ pid }) => commandOf(pid));
    expect(left.length).toBeGreaterThanOrEqual(5);

    const third = run(state, port);
    const after = await look(await promised(third));
    expect(after.data.card.id).toBe(before.data.card.id);
    expect(left.filter(({ pid }) => commandOf(pid))).toEqual([]);

    const last = processesOf(state);
    third.child.kill('SIGINT');
    expect(await third.exit).toBe(0);
    const order = [...third.out().matchAll(/(\w+) stopped$/gm)].map((match) => match[1]);
    expect(order).toEqual(['gateway', 'attachment', 'dependency', 'card', 'identifier', 'NATS', 'Postgres']);
    expect(last.filter(({ pid }) => commandOf(pid))).toEqual([]);
    expect(existsSync(join(state, 'run.json'))).toBe(false);
  }, 180_000);

  it('listens where it is told, and takes the tokens that it is told to take', async () => {
    const keys = await ensureKeys(scratchFolder('keys'), { issuer: 'https://issuer.example', audience: 'work' });
    const issuer = createHttpServer((_, response) => response.end(readFileSync(keys.jwksPath)));
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void issuer.close());
    const [state, port] = [scratchFolder('state'), await freePort()];
    const stack = run(state, port, {
      HOST: '0.0.0.0',
      JWKS_URL: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/jwks`,
      TOKEN_ISSUER: 'https://issuer.example',
      TOKEN_AUDIENCE: 'work',
      RATE_LIMIT_MAX: '9',
      RATE_LIMIT_WINDOW_MS: '600000',
    });
    const banner = await eventually(
      () => {
        const found = /^Cardinal runs at (\S+)$.*JWKS_URL.*there is no demo workspace/ms.exec(stack.out());
        if (!found) throw new Error(`not up yet: ${stack.out()}${stack.err()}`);
        return found[1] ?? '';
      },
      { timeoutMs: 60_000 },
    );
    expect(banner).toBe(`http://127.0.0.1:${port}/api/kanban/v1`);

    const of = { workspace: randomUUID(), user: randomUUID(), scope: 'kanban:read kanban:write' };
    const call = async (token: string, path: string, init: RequestInit = {}) =>
      fetch(`${banner}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
    const development = await ensureKeys(join(state, 'keys'));
    expect((await call(await development.sign(of), '/boards')).status).toBe(401);
    const token = await keys.sign(of);
    expect((await call(token, '/boards')).status).toBe(200);

    const made = await call(token, '/files', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: JSON.stringify({ name: 'notes.txt' }),
    });
    const { upload } = ((await made.json()) as { data: { upload: { url: string; headers: Record<string, string> } } })
      .data;
    expect(new URL(upload.url).hostname).not.toBe('0.0.0.0');
    expect((await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: 'notes' })).ok).toBe(true);
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await call(token, '/boards')).status));
    expect(statuses).toContain(429);
  }, 120_000);

  it('says in one line that its host is no address of this machine', async () => {
    const stack = run(scratchFolder('state'), await freePort(), { HOST: '192.0.2.1' });
    expect(await stack.exit).toBe(1);
    expect(stack.err()).toBe(
      'HOST: nothing can listen at 192.0.2.1 (EADDRNOTAVAIL); it must be an address of this machine\n',
    );
  });

  it('says in one line that its port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const stack = run(scratchFolder('state'), port);
    expect(await stack.exit).toBe(1);
    expect(stack.err()).toBe(`port ${port} is taken; choose another one: PORT=${port + 1} npm start\n`);
    other.close();
  });

  it('leaves nothing when it is interrupted while it starts', async () => {
    const state = scratchFolder('state');
    const stack = run(state, await freePort());
    await eventually(() => oneOf(state, 'services/'), { timeoutMs: 60_000 });
    const begun = processesOf(state);
    stack.child.kill('SIGTERM');
    expect(await stack.exit).toBe(0);
    expect(begun.filter(({ pid }) => commandOf(pid))).toEqual([]);
  }, 90_000);
});
