import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createCard, getCard } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startGateway } from './gateway.ts';
import { sendRaw } from './http.ts';
import { aCard } from './resources.ts';

const card = aCard();
const gateway = await startGateway();
gateway.serve(createCard, () => ({ resource: card, replayed: false }));
gateway.serve(getCard, () => card);
const admin = `authorization: Bearer ${await gateway.tokenFor({})}`;
const reader = `authorization: Bearer ${await gateway.tokenFor({ scope: 'kanban:read' })}`;

const api = '/api/kanban/v1';
const head = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'host: a', ...headers].join('\r\n')}\r\n\r\n`;
const key = 'idempotency-key: k';
const json = 'content-type: application/json';

/** Splits the bytes of a connection into answers. */
const answersOf = (received: string) =>
  received
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter(Boolean)
    .map((text) => {
      const [top = '', body = ''] = text.split('\r\n\r\n');
      const headers = Object.fromEntries(
        top
          .split('\r\n')
          .slice(1)
          .map((line) => [line.split(': ')[0]?.toLowerCase() ?? '', line.split(': ')[1]]),
      );
      return { status: Number(top.split(' ')[1]), headers, body };
    });

/** Sends a head and then an endless body while the server reads. */
const pour = (sent: string) =>
  new Promise<{ received: string; taken: number }>((resolve) => {
    const socket = connect(gateway.port, '127.0.0.1');
    let received = '';
    const chunk = Buffer.alloc(65_536, 'x');
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('data', (data) => {
      received += data;
    });
    socket.on('drain', more);
    // The reset that ends it.
    socket.on('error', () => {});
    socket.on('close', () => resolve({ received, taken: socket.bytesWritten }));
    socket.write(sent);
    more();
  });

describe('a refused request whose body has no end', () => {
  const length = 'content-length: 10000000000';
  const create = `POST ${api}/columns/${v7()}/cards`;
  const cases: [string, number, string, () => string[]][] = [
    ['without a token', 401, create, () => [length]],
    ['without the scope', 403, create, () => [reader, length]],
    ['on an unknown path', 404, `POST ${api}/nowhere`, () => [admin, length]],
    ['on an unknown path outside the API', 404, 'POST /nowhere', () => [length]],
    ['with a wrong method', 405, `PUT ${api}/boards`, () => [admin, length]],
    ['without If-Match', 428, `PATCH ${api}/cards/${v7()}`, () => [admin, length]],
    ['without a key', 400, create, () => [admin, length]],
    ['that takes none', 400, `DELETE ${api}/files/${v7()}`, () => [admin, length]],
    ['that takes none, in chunks', 400, `DELETE ${api}/files/${v7()}`, () => [admin, 'transfer-encoding: chunked']],
    ['of another type', 415, create, () => [admin, key, 'content-type: text/plain', length]],
    ['that is too large', 413, create, () => [admin, key, json, length]],
    ['that expects the impossible', 417, create, () => [admin, key, json, 'expect: wonders', length]],
    ['to a path that cannot be decoded', 400, `POST ${api}/%zz`, () => [admin, length]],
  ];

  // Each takes a second, during which the server discards what follows its answer.
  it.concurrent.each(cases)('%s is %i, and the connection ends', async (_, status, line, headers) => {
    const chunked = headers().includes('transfer-encoding: chunked');
    const { received, taken } = await pour(`${head(line, ...headers())}${chunked ? 'fffffff\r\n' : ''}`);
    const [answer] = answersOf(received);
    expect(answer).toMatchObject({ status, headers: { connection: 'close' } });
    expect(JSON.parse(answer?.body ?? '').error.request_id).toBe(answer?.headers['x-request-id']);
    // Most of it is in the kernels of both sides.
    expect(taken).toBeLessThan(64 * 1024 * 1024);
  });

  it('is answered once, also where the rest is malformed', async () => {
    const sent = head(create, 'transfer-encoding: chunked');
    const { received } = await pour(sent);
    expect(answersOf(received)).toHaveLength(1);
  });

  it('and a success that reads no body ends the connection, too', async () => {
    const { received, taken } = await pour(head('GET /healthz', length));
    expect(answersOf(received)).toMatchObject([{ status: 200, headers: { connection: 'close' } }]);
    expect(taken).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('a refused request whose body came with it', () => {
  it('leaves the connection open', async () => {
    const refused = `${head(`POST ${api}/columns/${v7()}/cards`, 'content-length: 2')}{}`;
    const next = head('GET /healthz', 'connection: close');
    expect(answersOf(await sendRaw(gateway.port, refused + next))).toMatchObject([{ status: 401 }, { status: 200 }]);
  });
});

describe('requests that are sent ahead on a connection', () => {
  const read = () => head(`GET ${api}/cards/${card.id}`, admin);
  const get = (path: string) => head(`GET ${path}`);

  it('are served one after the other, in their order', async () => {
    const seen = { now: 0, most: 0 };
    gateway.serve(getCard, async () => {
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      await setImmediate();
      seen.now -= 1;
      return card;
    });
    const sent = `${read().repeat(7)}${get('/healthz')}${head('GET /nowhere', 'connection: close')}`;
    const statuses = answersOf(await sendRaw(gateway.port, sent)).map(({ status }) => status);
    expect(statuses).toEqual([...Array(8).fill(200), 404]);
    expect(seen.most).toBe(1);
    gateway.serve(getCard, () => card);
  });

  it('are closed with it where more than 8 wait, and those behind them are not even parsed', async () => {
    let asked = 0;
    const parsed: ServerResponse[] = [];
    const count = (_request: IncomingMessage, response: ServerResponse) => void parsed.push(response);
    gateway.app.server.on('request', count);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    gateway.serve(getCard, async () => {
      asked += 1;
      await held;
      return card;
    });
    expect(await sendRaw(gateway.port, read().repeat(200)).catch(() => 'reset')).toMatch(/^(reset)?$/);
    letGo();
    gateway.app.server.off('request', count);
    gateway.serve(getCard, () => card);
    expect(asked).toBe(0);
    // One that is next, eight that wait, and the one that is too many.
    expect(parsed).toHaveLength(10);
    // Node parses them; the framework has seen none.
    expect(parsed.map((response) => response.listenerCount('finish'))).toEqual(Array(10).fill(1));
  });

  it('of documents: one answer is made while none is read, and the client that reads nothing is closed', async () => {
    const impatient = await startGateway({ ANSWER_IDLE_MS: '1000' });
    const accepted = once(impatient.app.server, 'connection');
    const socket = connect(impatient.port, '127.0.0.1').pause();
    const [serving] = (await accepted) as [Socket];
    // As if the kernel held nothing for the client.
    Object.assign(serving, { _write() {}, _writev() {} });
    const closed = once(serving, 'close');
    const begun: unknown[] = [];
    impatient.app.server.on('request', (_request, response) => response.once('prefinish', () => begun.push(response)));
    socket.write(get('/openapi.json').repeat(8));
    await closed;
    expect(begun).toHaveLength(1);
    socket.destroy();
    await impatient.stop();
  });
});

describe('Expect: 100-continue', () => {
  const body = '{"title":"a"}';
  const sent = (...headers: string[]) =>
    head(`POST ${api}/columns/${v7()}/cards`, key, json, `content-length: ${body.length}`, ...headers);

  it('gets 100 where the body is read', async () => {
    const received = await sendRaw(gateway.port, sent(admin, 'expect: 100-continue', 'connection: close') + body);
    expect(answersOf(received).map(({ status }) => status)).toEqual([100, 201]);
  });

  it.each([
    ['without a token', 401, () => sent('expect: 100-continue')],
    [
      'that takes none',
      400,
      () => head(`DELETE ${api}/files/${v7()}`, admin, 'transfer-encoding: chunked', 'expect: 100-continue'),
    ],
  ])('of a request %s is %i at once', async (_, status, request) => {
    const answers = answersOf(await sendRaw(gateway.port, request()));
    expect(answers).toMatchObject([{ status, headers: { connection: 'close' } }]);
  });
});

describe('what Node would answer by itself', () => {
  const closing = 'connection: close';
  it.each<[string, number, () => string]>([
    ['a request without Host', 400, () => `GET ${api}/boards HTTP/1.1\r\n${admin}\r\n${closing}\r\n\r\n`],
    ['an expectation that cannot be met', 417, () => head(`GET ${api}/boards`, admin, 'expect: wonders', closing)],
    ['CONNECT', 400, () => head('CONNECT a:80', closing)],
    ['an upgrade', 404, () => head(`GET ${api}/nowhere`, admin, 'upgrade: websocket', 'connection: upgrade, close')],
    ['a method that nobody knows here', 405, () => head(`TRACE ${api}/boards`, admin, closing)],
    ['a method that HTTP does not know', 400, () => head('NONSENSE /', closing)],
    ['a request line of 20 kB', 400, () => head(`GET /${'x'.repeat(20_000)}`, closing)],
    ['headers of 20 kB', 400, () => head('GET /', `x: ${'x'.repeat(20_000)}`, closing)],
    ['another version', 400, () => `GET / HTTP/3.0\r\nhost: a\r\n\r\n`],
  ])('%s: %i in our shape', async (_, status, request) => {
    const [answer] = answersOf(await sendRaw(gateway.port, request()));
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(JSON.parse(answer?.body ?? '')).toEqual({
      error: {
        code: expect.stringMatching(/^(invalid_request|not_found|method_not_allowed)$/),
        message: expect.any(String),
        request_id: answer?.headers['x-request-id'],
      },
    });
  });

  it('reaches a client that sends much more before it reads', async () => {
    const accepted = once(gateway.app.server, 'connection');
    const socket = connect(gateway.port, '127.0.0.1').pause();
    const [serving] = (await accepted) as [Socket];
    const unread = Promise.race([once(serving, 'pause'), once(socket, 'close')]);
    socket.write(head('NONSENSE /'));
    socket.write(Buffer.alloc(8_000_000));
    await unread;
    const [answer] = await once(socket.resume(), 'data');
    expect(answersOf(String(answer))).toMatchObject([{ status: 400, headers: { connection: 'close' } }]);
    socket.destroy();
  });

  it('needs no Host of HTTP/1.0, and ignores what that expects', async () => {
    const [answer] = answersOf(await sendRaw(gateway.port, 'GET /healthz HTTP/1.0\r\nexpect: wonders\r\n\r\n'));
    expect(answer).toMatchObject({ status: 200, headers: { 'x-request-id': expect.any(String) } });
  });
});
