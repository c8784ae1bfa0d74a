import {
  conflict,
  createBoard,
  getCard,
  listBoards,
  newKeyText,
  patchCard,
  preconditionFailed,
  unavailable,
  verifyApiKeys,
} from '@cardinal/contracts';
import { currentContext, traceIdOf } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from './gateway.ts';
import { aCard } from './resources.ts';

const path = `/cards/${v7()}`;

describe('errors of the services', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });

  it('keep code, message and details', async () => {
    gateway.serve(patchCard, () => {
      throw preconditionFailed(8);
    });
    const headers = { 'if-match': '"1"', 'content-type': 'application/json' };
    const answer = await gateway.call({ method: 'PATCH', path, headers, body: '{"title":"a"}' });
    expect(answer.status).toBe(412);
    expect(answer.json.error).toEqual({
      code: 'precondition_failed',
      message: expect.any(String),
      request_id: answer.headers['x-request-id'],
      // Nobody serves the log here.
      details: { current_version: 8, changes: [], complete: false },
    });
    gateway.serve(createBoard, () => {
      throw conflict('No');
    });
    const creation = { 'idempotency-key': 'k', 'content-type': 'application/json' };
    expect(
      await gateway.call({ method: 'POST', path: '/boards', headers: creation, body: '{"name":"a"}' }),
    ).toMatchObject({
      status: 409,
      json: { error: { code: 'conflict', message: 'No' } },
    });
  });

  it('that are faults of the service reveal nothing of it', async () => {
    gateway.serve(getCard, () => {
      throw new Error('secret: select * from cards');
    });
    const answer = await gateway.call({ path });
    expect(answer.status).toBe(500);
    expect(answer.json.error).toEqual({
      code: 'internal',
      message: 'Something went wrong on our side',
      request_id: answer.headers['x-request-id'],
    });
    expect(answer.text).not.toContain('secret');
  });

  it('and replies that break their contract are faults, too', async () => {
    gateway.serve(getCard, () => ({ ...aCard(), version: 0 }));
    expect(await gateway.call({ path })).toMatchObject({ status: 500, json: { error: { code: 'internal' } } });
  });

  it('that pass come with Retry-After', async () => {
    gateway.serve(getCard, () => {
      throw unavailable('The database is out of reach');
    });
    const answer = await gateway.call({ path });
    expect(answer).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } });
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  });

  it('are logged with the request’s id, and neither keys nor bodies are', async () => {
    gateway.serve(createBoard, () => {
      throw new Error('boom');
    });
    const requestId = v7();
    await gateway.call({
      method: 'POST',
      path: '/boards',
      headers: { 'idempotency-key': 'a-secret-key', 'content-type': 'application/json', 'x-request-id': requestId },
      body: '{"name":"a secret name"}',
    });
    await expect.poll(() => gateway.log()).toContain(`"request_id":"${requestId}"`);
    expect(gateway.log()).not.toContain('a-secret-key');
    expect(gateway.log()).not.toContain('a secret name');
  });

  it('a request’s id and trace reach the owner, and without a traceparent a trace is made', async () => {
    const seen: { requestId: string | undefined; traceId: string | undefined }[] = [];
    gateway.serve(getCard, () => {
      const context = currentContext();
      seen.push({ requestId: context?.requestId, traceId: context && traceIdOf(context) });
      return aCard();
    });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, 'x-request-id': 'mine' };
    await gateway.call({ path, headers });
    await gateway.call({ path, headers: { traceparent: 'nonsense' } });
    expect(seen[0]).toEqual({ requestId: 'mine', traceId });
    expect(seen[1]?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(seen[1]?.traceId).not.toBe(traceId);
  });
});

describe('a service that is away', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ REQUEST_TIMEOUT_MS: '600' });
  });

  it('is 503 where nobody serves', async () => {
    const answer = await gateway.call({ path });
    expect(answer).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } });
    expect(answer.headers).toHaveProperty('retry-after');
  });

  it('is 503 where nobody answers in time', async () => {
    const over = Promise.withResolvers<never>();
    gateway.serve(listBoards, () => over.promise);
    expect((await gateway.call({ path: '/boards' })).status).toBe(503);
    // A stopping owner waits for its requests.
    over.reject(new Error('too late'));
  });

  it('is 503 in time where the verifications of other API keys hang', async () => {
    const over = Promise.withResolvers<never>();
    gateway.serve(verifyApiKeys, () => over.promise);
    const askWithKey = () => gateway.call({ path, token: newKeyText(gateway.caller.workspace_id) });
    const began = performance.now();
    // Two are asked for at a time; the next ones wait for these, but no longer than for their own answer.
    const answers = await Promise.all(Array.from({ length: 6 }, askWithKey));
    over.reject(new Error('too late'));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(503));
    // A call that belongs to no request waits for ten seconds.
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('the log of requests that are refused', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  const lines = () =>
    gateway
      .log()
      .split('\n')
      .filter((line) => line.includes('"status":4'));

  it('has one line for refusals of one kind and address, with 512 characters of the path', async () => {
    const path = `/boards/${'x'.repeat(15_000)}`;
    for (let count = 0; count < 20; count += 1) {
      expect((await gateway.call({ path, token: false })).status).toBe(401);
    }
    expect((await gateway.call({ path })).status).toBe(400);
    await expect.poll(lines).toHaveLength(2);
    for (const line of lines()) expect(line.length).toBeLessThan(1_024);
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({
      address: '127.0.0.1',
      path: expect.stringMatching(/^.{512}$/),
    });
  });
});

describe('an event loop that lags', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ MAX_EVENT_LOOP_DELAY_MS: '20' });
  });

  it('makes the API answer 503, and health goes on', async () => {
    const askWhileBusy = async () => {
      const until = performance.now() + 200;
      while (performance.now() < until);
      return gateway.call({ path: '/nowhere' });
    };
    await expect.poll(askWhileBusy, { interval: 1 }).toMatchObject({
      status: 503,
      json: { error: { code: 'unavailable' } },
      headers: { 'retry-after': '1' },
    });
    expect((await gateway.root({ path: '/healthz' })).status).toBe(200);
  });
});

describe('a stop', () => {
  it('answers the request in hand, takes no new connection, and then ends', async () => {
    const gateway = await startGateway();
    const card = aCard();
    let release = () => {};
    const arrived = new Promise<void>((arrive) => {
      gateway.serve(getCard, async () => {
        arrive();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return card;
      });
    });
    const inHand = gateway.call({ path });
    await arrived;
    const closed = gateway.app.close();
    await expect.poll(() => gateway.root({ path: '/healthz' }).catch(() => 'refused')).toBe('refused');
    release();
    expect(await inHand).toMatchObject({ status: 200, json: { data: card } });
    await closed;
    await gateway.stop();
  });
});
