import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failureOf } from '../test/serve.ts';
import { type Attempt, CardinalError, type ClientOptions, createClient, type Event } from './index.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Begins a stream with blocks of it, which goes on. */
const stream =
  (...blocks: string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'opened' });
    for (const block of blocks) response.write(`${block}\n\n`);
  };
/** The same, and ends it. */
const short =
  (...blocks: string[]): Answer =>
  (response, request) => {
    stream(...blocks)(response, request);
    response.end();
  };
const refusal =
  (status: number, code: string, details?: object, headers = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { code, message: 'no', request_id: 'r', details } }));
  };
const event = (seq: number) =>
  `id: ${seq}\nevent: card.updated\ndata: ${JSON.stringify({ seq, type: 'card.updated' })}`;
const soon = 'retry: 5';

/** A client of a server that gives one answer after the other, the last one again and again. */
const talk = async (answers: Answer[], options: Partial<ClientOptions> = {}) => {
  const seen: { url: string; last: string | undefined; token: string | undefined }[] = [];
  const closed: number[] = [];
  const server = createServer((request, response) => {
    const n = seen.length;
    const { 'last-event-id': last, authorization: token } = request.headers;
    seen.push({ url: request.url ?? '', last: last as string | undefined, token });
    response.on('close', () => closed.push(n));
    (answers[Math.min(n, answers.length - 1)] as Answer)(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const attempts: Attempt[] = [];
  const retry = { baseMs: 1, capMs: 5, attempts: 3 };
  const onAttempt = (attempt: Attempt) => attempts.push(attempt);
  const client = createClient({ baseUrl, token: 'secret', retry, onAttempt, ...options });
  return { client, seen, closed, attempts, server };
};

const take = async (events: AsyncIterable<Event>, count: number) => {
  const seqs: number[] = [];
  for await (const { seq } of events) {
    seqs.push(seq);
    if (seqs.length === count) break;
  }
  return seqs;
};

describe('a followed stream', () => {
  it('requests the wanted events, and closes its connection when the reader stops', async () => {
    const { client, seen, closed } = await talk([stream(event(4), event(5))]);
    expect(
      await take(client.events.follow({ after: 3, types: ['card.*', 'board.created'], card: 'PAY-7' }), 2),
    ).toEqual([4, 5]);
    expect(seen).toEqual([
      {
        url: '/api/kanban/v1/events/stream?types=card.*&types=board.created&card=PAY-7',
        last: '3',
        token: 'Bearer secret',
      },
    ]);
    await expect.poll(() => closed).toEqual([0]);
  });

  it('continues where it broke off, skips repeated events, and uses a new token', async () => {
    let token = 0;
    const broken: Answer = (response, request) => {
      stream(soon, event(2))(response, request);
      response.write('id: 3\ndata: {"seq":3,');
      setTimeout(() => response.destroy(), 20);
    };
    const { client, seen } = await talk([short(soon, event(1)), broken, short(event(2), event(3)), stream(event(4))], {
      token: async () => `t${++token}`,
    });
    expect(await take(client.events.follow(), 4)).toEqual([1, 2, 3, 4]);
    expect(seen.map(({ last }) => last)).toEqual([undefined, '1', '2', '3']);
    expect(seen.map((each) => each.token)).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t3', 'Bearer t4']);
  });

  it('continues from the position that the stream sent, also without an event', async () => {
    const { client, seen } = await talk([short(soon, ': 7\nid: 7'), short(': 9\nid: 9'), stream(event(10))]);
    expect(await take(client.events.follow(), 1)).toEqual([10]);
    expect(seen.map(({ last }) => last)).toEqual([undefined, '7', '9']);
  });

  it('once it was open, waits for a service that is away, however long', async () => {
    const away = refusal(503, 'unavailable', undefined, { 'retry-after': '0' });
    const { client, attempts } = await talk([
      short(soon, event(1)),
      ...Array(10).fill(away),
      refusal(429, 'rate_limited'),
      stream(event(2)),
    ]);
    expect(await take(client.events.follow(), 2)).toEqual([1, 2]);
    expect(attempts.map(({ status }) => status)).toEqual([200, ...Array(10).fill(503), 429, 200]);
  });

  it('gives up after the usual tries where it never opened', async () => {
    const { client, seen } = await talk([refusal(503, 'unavailable')]);
    expect(await failureOf(take(client.events.follow(), 1))).toMatchObject({ code: 'unavailable', attempts: 3 });
    expect(seen).toHaveLength(3);
  });

  it.each([
    [401, 'unauthenticated'],
    [403, 'insufficient_scope'],
    [404, 'not_found'],
    [400, 'invalid_request'],
  ])('is over where the service refuses it: %i %s', async (status, code) => {
    const { client, seen } = await talk([short(soon, event(1)), refusal(status, code)]);
    expect(await failureOf(take(client.events.follow(), 2))).toMatchObject({ code, status });
    expect(seen).toHaveLength(2);
  });

  it.each([
    ['before it begins', refusal(410, 'gone', { oldest: 40 })],
    [
      'in its midst',
      stream(event(5), 'event: gone\ndata: {"error":{"code":"gone","message":"no","details":{"oldest":40}}}'),
    ],
  ])('says from where on events are kept, where what followed is not any more: %s', async (_, answer) => {
    const { client } = await talk([answer]);
    const error = await failureOf(take(client.events.follow({ after: 4 }), 2));
    if (!(error instanceof CardinalError && error.code === 'gone')) throw error;
    const oldest: number = error.details.oldest;
    expect([oldest, error.status]).toEqual([40, 410]);
  });

  it('refuses the answer of another program', async () => {
    const page: Answer = (response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>');
    const { client } = await talk([page]);
    expect(await failureOf(take(client.events.follow(), 1))).toMatchObject({ code: 'unexpected_response' });
  });

  it.each(['before it opened', 'while it is silent', 'between two events', 'while it waits to open again'])(
    'ends without an error when its signal says so: %s',
    async (when) => {
      const never: Answer = () => {};
      const answers = {
        'before it opened': [never],
        'while it waits to open again': [short('retry: 60000', event(1))],
      };
      const { client, closed, seen } = await talk(answers[when as 'before it opened'] ?? [stream(event(1), event(2))], {
        retry: { capMs: 60_000 },
      });
      const controller = new AbortController();
      const seqs: number[] = [];
      if (when === 'before it opened')
        void expect
          .poll(() => seen.length)
          .toBe(1)
          .then(() => controller.abort());
      for await (const { seq } of client.events.follow({ signal: controller.signal })) {
        seqs.push(seq);
        if (when === 'between two events') controller.abort();
        if (when === 'while it is silent' && seq === 2) setTimeout(() => controller.abort());
        if (when === 'while it waits to open again')
          void expect
            .poll(() => closed)
            .toEqual([0])
            .then(() => controller.abort());
      }
      expect(seqs).toEqual({ 'before it opened': [], 'while it is silent': [1, 2] }[when] ?? [1]);
      await expect.poll(() => closed).toEqual([0]);
    },
  );

  it('has events whose type says what their data is', async () => {
    const { client } = await talk([stream('id: 1\ndata: {"seq":1,"type":"comment.created","data":{"body":"said"}}')]);
    for await (const told of client.events.follow()) {
      if (told.type === 'comment.created') {
        const body: string | undefined = told.data?.body;
        expect(body).toBe('said');
      }
      // @ts-expect-error: not every data has a body
      void told.data?.body;
      break;
    }
  });
});
