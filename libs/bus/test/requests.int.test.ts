import { CardinalError, Document, documentOf } from '@cardinal/contracts';
import { currentContext, newContext, type RequestContext, runInContext } from '@cardinal/runtime';
import { headers } from 'nats';
import { describe, expect, it, vi } from 'vitest';
import { readAnswers } from '../src/requests/wire.ts';
import { anyContract, refusedWith, signal, soon, useBroker } from './fixtures.ts';

const broker = useBroker();
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('requests of one tick', () => {
  it('share one message, and each gets its own answer or error', async () => {
    const contract = anyContract();
    const [server, client, messages] = [await broker.bus(), await broker.bus(), await broker.watch(contract.subject)];
    server.serve(contract, async ({ n }) => {
      if (n === 3) throw new CardinalError('precondition_failed', 'too late', { current_version: 7 });
      return { n: n * 2 };
    });
    await server.ping();
    const outcomes = await Promise.allSettled(numbers(6).map((n) => client.call(contract, { n })));
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.n : 'refused'))).toEqual([
      0,
      2,
      4,
      'refused',
      8,
      10,
    ]);
    expect(outcomes[3]).toMatchObject({
      reason: { code: 'precondition_failed', message: 'too late', details: { current_version: 7 } },
    });
    expect(await messages()).toHaveLength(1);
    await client.call(contract, { n: 1 });
    expect(await messages()).toHaveLength(2);
  });

  it('keep their own request id, trace and deadline, also where one of them is empty', async () => {
    const contract = anyContract();
    const patient = await broker.bus({ callTimeoutMs: 120_000 });
    const [server, client, messages] = [await broker.bus(), patient, await broker.watch(contract.subject)];
    const seen: (RequestContext | undefined)[] = [];
    server.serve(contract, async ({ n }) => {
      seen[n] = currentContext();
      return { n };
    });
    await server.ping();
    const now = Date.now();
    const contexts = ['first', '', 'dritte-ü-\r\nX: y', ' ', 'last'].map((requestId, n) => ({
      requestId,
      traceparent: `00-${String(n + 1).repeat(32)}-${'b'.repeat(16)}-01`,
      deadline: now + 60_000 + n * 100,
    }));
    await Promise.all(contexts.map((context, n) => runInContext(context, () => client.call(contract, { n }))));
    expect(await messages()).toHaveLength(1);
    const anId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    // The time left travels, so each deadline is later by the same transit time.
    const onTheWay = (seen[0]?.deadline ?? 0) - (now + 60_000);
    expect(onTheWay).toBeGreaterThanOrEqual(0);
    expect(seen).toEqual(
      contexts.map((context, n) => ({
        ...context,
        deadline: context.deadline + onTheWay,
        requestId: ['first', anId, 'dritte-ü-  X: y', anId, 'last'][n],
      })),
    );
  });

  it('do not wait for the slowest of them', async () => {
    const slow = signal();
    const { contract, client } = await broker.serving(async ({ n }) => {
      if (n === 0) await slow.sent;
      return { n };
    });
    const [first, second] = [client.call(contract, { n: 0 }), client.call(contract, { n: 1 })];
    expect(await second).toEqual({ n: 1 });
    slow.send();
    expect(await first).toEqual({ n: 0 });
  });

  it('share the instances of a service, each request being run once', async () => {
    const contract = anyContract();
    const servers = [await broker.bus(), await broker.bus()];
    const client = await broker.bus();
    const runs: number[] = [];
    for (const server of servers) {
      server.serve(contract, async ({ n }) => {
        runs.push(n);
        return { n };
      });
      await server.ping();
    }
    for (const n of numbers(20)) await client.call(contract, { n });
    expect(runs).toEqual(numbers(20));
  });
});

describe('a served request', () => {
  it('is answered without running where it is malformed or expired', async () => {
    const contract = anyContract();
    const [server, plain] = [await broker.bus(), await broker.plain()];
    const runs: number[] = [];
    server.serve(contract, async ({ n }) => {
      runs.push(n);
      return { n };
    });
    await server.ping();
    const deadlines = headers();
    for (const left of [5_000, -1, 5_000]) deadlines.append('Cardinal-Time-Left', String(left));
    const answers: unknown[] = [];
    const inbox = plain.subscribe('_INBOX.answers.here', {
      callback: (_, message) => answers.push(...readAnswers(message.data)),
    });
    plain.publish(contract.subject, JSON.stringify([{ n: 'one' }, { n: 2 }, { n: 3 }]), {
      reply: '_INBOX.answers.here',
      headers: deadlines,
    });
    await vi.waitFor(() => expect(answers).toHaveLength(3), soon);
    inbox.unsubscribe();
    expect(answers).toContainEqual({ item: 0, error: expect.objectContaining({ code: 'invalid_request' }) });
    expect(answers).toContainEqual({ item: 1, error: expect.objectContaining({ code: 'unavailable' }) });
    expect(answers).toContainEqual({ item: 2, document: documentOf({ n: 3 }) });
    expect(runs).toEqual([3]);
    const broken = await plain.request(contract.subject, '{', { timeout: 5_000 });
    expect(readAnswers(broken.data)).toEqual([
      { item: 0, error: expect.objectContaining({ code: 'invalid_request' }) },
    ]);
  });

  it('has the exact text of the reply passed on, with its head beside it', async () => {
    const { contract, client } = await broker.serving(
      async ({ n }) => new Document({ id: 'a', version: n }, `{"n":  ${n}}`),
    );
    const [one, other] = await Promise.all([client.fetch(contract, { n: 1 }), client.call(contract, { n: 2 })]);
    expect(one).toEqual(new Document({ id: 'a', version: 1 }, '{"n":  1}'));
    expect(other).toEqual({ n: 2 });
  });

  it('is refused beyond the limit of requests in hand', async () => {
    const gate = signal();
    const { contract, client } = await broker.serving(async (request) => {
      await gate.sent;
      return request;
    });
    const calls = Array.from({ length: 2_030 }, (_, n) => client.call(contract, { n }));
    const refused = calls.slice(2_000).map((call) => expect(call).rejects.toMatchObject({ code: 'unavailable' }));
    await Promise.all(refused);
    gate.send();
    expect(await Promise.all(calls.slice(0, 2_000))).toHaveLength(2_000);
  });

  it('is hardly sent twice where the service is slow for everyone', async () => {
    const gate = signal();
    let asked = 0;
    const { contract, client } = await broker.serving(async (request) => {
      asked += 1;
      await gate.sent;
      return request;
    });
    const calls = Array.from({ length: 900 }, (_, n) => client.call(contract, { n }, { timeoutMs: 4_000 }));
    await Promise.allSettled(calls);
    gate.send();
    // Saved second messages, and a tenth of the calls.
    expect(asked).toBeGreaterThan(900);
    expect(asked).toBeLessThanOrEqual(900 + 500 + 90);
  });

  it('hides a failure of its handler, and logs it with its stack', async () => {
    const { contract, client } = await broker.serving(() => Promise.reject(new Error('column "x" does not exist')));
    const refused = runInContext(newContext({ requestId: 'req-hidden', timeoutMs: 5_000 }), () =>
      client.call(contract, { n: 1 }),
    );
    await expect(refused).rejects.toMatchObject({ code: 'internal', message: 'Internal error' });
    const line = broker.lines.find((one) => one.request_id === 'req-hidden');
    expect(line).toMatchObject({ level: 'error', err: { stack: expect.stringContaining('requests.int.test') } });
  });

  it('is checked against its contract at both ends', async () => {
    const { contract, client } = await broker.serving(async () => ({ n: 1.5 }));
    await expect(client.call(contract, { n: 1 })).rejects.toSatisfy(refusedWith('internal'));
    await expect(client.call(contract, { n: 1.5 })).rejects.toSatisfy(refusedWith('invalid_request'));
  });

  it('may be retried where another release does not understand what its caller has checked', async () => {
    const { contract, client } = await broker.serving(async ({ n }) => ({ n }));
    await expect(client.fetch(contract, { n: 1.5 })).rejects.toSatisfy(refusedWith('unavailable'));
  });
});

describe('sizes', () => {
  const card = (n: number, description: string) => ({ n, text: description });

  it('a reply larger than a message is an error of the service, and logged', async () => {
    const { contract, client } = await broker.serving(async ({ n }) => ({
      n,
      text: n === 0 ? 'x'.repeat(1_048_576) : 'small',
    }));
    const [big, small] = [client.call(contract, { n: 0 }), client.call(contract, { n: 1 })];
    await expect(big).rejects.toSatisfy(refusedWith('internal'));
    expect(await small).toEqual({ n: 1, text: 'small' });
    const line = broker.lines.find(({ msg }) => msg === 'a reply is too large for the bus');
    expect(line).toMatchObject({ level: 'error', subject: contract.subject, bytes: expect.any(Number) });
  });

  it('an error with details larger than a message loses them', async () => {
    const { contract, client } = await broker.serving(async () => {
      throw new CardinalError('conflict', 'A cycle', { path: numbers(200_000).map(String) });
    });
    const error = await client.call(contract, { n: 1 }).catch((refusal) => refusal);
    expect([error.code, error.message, error.details]).toEqual(['conflict', 'A cycle', undefined]);
  });

  it('64 creates with descriptions of 20,000 characters in one tick are split over messages', async () => {
    const contract = anyContract();
    const [server, client, messages] = [await broker.bus(), await broker.bus(), await broker.watch(contract.subject)];
    server.serve(contract, async (request) => request);
    await server.ping();
    const description = '🂡'.repeat(20_000);
    const replies = await Promise.all(numbers(64).map((n) => client.call(contract, card(n, description))));
    expect(replies.map((reply) => reply.n)).toEqual(numbers(64));
    expect(replies.every((reply) => reply.text === description)).toBe(true);
    const { length } = await messages();
    expect(length).toBeGreaterThanOrEqual(5);
    expect(length).toBeLessThanOrEqual(7);
  });

  it('a request larger than a message is refused alone', async () => {
    const { contract, client } = await broker.serving(async ({ n }) => ({ n }));
    const [big, small] = [client.call(contract, card(1, 'x'.repeat(1_100_000))), client.call(contract, { n: 2 })];
    await expect(big).rejects.toSatisfy(refusedWith('payload_too_large'));
    expect(await small).toEqual({ n: 2 });
  });
});
