import { eventually } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keptConnection } from './kept-connection.ts';
import { haproxy, startHaproxy, startInstance } from './running-proxy.ts';

const connections = (port: number, count: number) =>
  Array.from({ length: count }, () => {
    const connection = keptConnection(port);
    onTestFinished(connection.end);
    return connection;
  });

describe.skipIf(!haproxy)('HAProxy (skipped where it is neither installed nor at HAPROXY_BIN)', () => {
  it('reads its file again without closing a connection that a client may be using just now', async () => {
    const { port } = await startInstance((_, response) => response.end('{}'));
    const { api, readAgain } = await startHaproxy([port]);
    for (let round = 0; round < 3; round += 1) {
      const idle = connections(api, 20);
      for (const { ask } of idle) await ask('GET');
      // In use all the time, until an answer says that it ends.
      const busy = connections(api, 4).map(async ({ ask }) => {
        for (let used = false; ; used = true) {
          const { status, headers, kept } = await ask('GET');
          expect({ status, kept }).toEqual({ status: 200, kept: used });
          if (headers.connection === 'close') return;
        }
      });
      readAgain();
      await Promise.all(busy);
      for (const { ask } of idle) {
        const { status, headers, kept } = await ask('POST', { 'idempotency-key': 'k' }, '{}');
        expect({ status, kept, ends: headers.connection }).toEqual({ status: 200, kept: true, ends: 'close' });
      }
    }
  });

  it('sends requests to a gateway that is not ready while its health is not checked, as upgrade.sh needs', async () => {
    let isReady = true;
    const { port } = await startInstance(
      (_, response) => response.end('{}'),
      () => isReady,
    );
    const { api, command } = await startHaproxy([port]);
    const { ask, end } = keptConnection(api);
    onTestFinished(end);
    const state = async () => /^gateway,gateway1,(?:[^,]*,){15}([^,]*)/m.exec(await command('show stat'))?.[1];
    await command('disable health gateway/gateway1');
    isReady = false;
    expect(await state()).toBe('no check');
    expect((await ask('GET')).status).toBe(200);
    await command('enable health gateway/gateway1');
    await eventually(async () => expect((await ask('GET')).status).toBe(503));
    isReady = true;
    await eventually(async () => expect((await ask('GET')).status).toBe(200));
  });

  it('says 503 as the API does where the gateway is gone, also to a connection that was kept, and soon', async () => {
    const { port, vanish } = await startInstance((_, response) => response.end('{}'));
    const { api } = await startHaproxy([port]);
    const clients = connections(api, 6);
    for (const { ask } of clients) await ask('GET');
    await vanish();
    const begun = performance.now();
    const answers = await Promise.all(
      clients.map(async ({ ask }, index) => {
        const { status, headers, body, kept } = await ask(index % 2 ? 'PATCH' : 'GET', {
          'x-request-id': `of-${index}`,
        });
        const { code, request_id } = body ? JSON.parse(body).error : {};
        const id = headers['x-request-id'];
        return { status, kept, after: headers['retry-after'], id, code, request_id };
      }),
    );
    const seconds = (performance.now() - begun) / 1000;
    expect(answers).toEqual(
      clients.map((_, index) => {
        const id = `of-${index}`;
        return { status: 503, kept: true, after: '1', id, code: 'unavailable', request_id: id };
      }),
    );
    expect(seconds).toBeLessThan(4);
  });

  it.each([
    ['GET', {}, 200],
    ['PUT', {}, 200],
    ['POST', { 'idempotency-key': 'k' }, 200],
    ['POST', { 'idempotency-key': 'k', 'if-match': '"1"' }, 200],
    ['POST', {}, 'ECONNRESET'],
    ['PATCH', { 'if-match': '"1"' }, 'ECONNRESET'],
    ['DELETE', { 'if-match': '"1"' }, 'ECONNRESET'],
  ])('sends %s with %j again where the connection to the instance broke only if that is safe: %s', async (...given) => {
    const [method, headers, expected] = given;
    let seen: number | undefined;
    const { port } = await startInstance((incoming, response) => {
      if (seen === 0) incoming.socket.destroy();
      else response.end('{}');
      if (seen !== undefined) seen += 1;
    });
    const { api } = await startHaproxy([port]);
    const [connection] = connections(api, 1);
    await connection?.ask('GET');
    seen = 0;
    const answer = await connection?.ask(method, headers, method === 'GET' ? undefined : '{}');
    expect({ status: answer?.status, seen }).toEqual({ status: expected, seen: expected === 200 ? 2 : 1 });
  });
});
