import { randomUUID } from 'node:crypto';
import { CardinalError, Document, defineRequest, defineSignal } from '@cardinal/contracts';
import {
  currentContext,
  currentService,
  inService,
  newContext,
  type RequestContext,
  runInContext,
  serveMetrics,
  span,
  startTelemetry,
} from '@cardinal/runtime';
import { eventually, scrape, startOtlpReceiver } from '@cardinal/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLocalCalls, pingOf } from '../src/index.ts';
import type { Handler } from '../src/requests/work.ts';
import { refusedWith, signal, useBroker, within } from './fixtures.ts';

const broker = useBroker();
const metrics = await serveMetrics({ port: 0, host: '127.0.0.1', logger: broker.logger });
afterAll(() => metrics.close());

let last = 0;
const anyContract = () => {
  last += 1;
  return defineRequest(
    `both${last}.ask`,
    z.object({
      workspace_id: z.string().optional(),
      n: z.int().default(7),
      names: z.array(z.string()).optional(),
      word: z
        .string()
        .optional()
        .transform((word) => word?.toUpperCase()),
      anything: z.unknown().optional(),
    }),
    z.object({ n: z.int(), said: z.unknown().optional() }),
  );
};
type Contract = ReturnType<typeof anyContract>;

const busesOf = {
  'over the broker': async (drainTimeoutMs = 500) =>
    [await broker.bus({ name: 'card', drainTimeoutMs }), await broker.bus({ name: 'gateway' })] as const,
  'in one process': async (drainTimeoutMs = 500) => {
    const local = createLocalCalls(['card', 'gateway']);
    const server = await broker.bus({ name: 'card', local, drainTimeoutMs });
    return [server, await broker.bus({ name: 'gateway', local })] as const;
  },
};

/** What holds for a call, both ways. */
describe.each(['over the broker', 'in one process'] as const)('a call %s', (way) => {
  const serving = async (
    handler: Handler<Contract['request'], Contract['reply']>,
    contract: Contract & { setsState?: boolean } = anyContract(),
    drainTimeoutMs = 500,
  ) => {
    const [server, client] = await busesOf[way](drainTimeoutMs);
    server.serve(contract, handler);
    await server.ping();
    return { contract, server, client };
  };
  const echo = async (request: { n: number }) => ({ n: request.n, said: request });

  it('is a message over the broker, and none in one process', async () => {
    const contract = anyContract();
    const messages = await broker.watch(contract.subject);
    const { client } = await serving(echo, contract);
    await client.call(contract, { n: 1 });
    expect(await messages()).toHaveLength(way === 'in one process' ? 0 : 1);
  });

  it('has its request parsed, with defaults and transformations, and as JSON', async () => {
    const { contract, client } = await serving(echo);
    const at = new Date(0);
    const { said } = await client.call(contract, { word: 'a', anything: [at, { left: undefined }], names: undefined });
    expect(said).toEqual({ n: 7, word: 'A', anything: [at.toISOString(), {}] });
    expect(Object.keys(said as object)).not.toContain('names');
  });

  it('shares no mutable data with its handler', async () => {
    const kept: unknown[] = [];
    const { contract, client } = await serving(async ({ n, anything }) => {
      kept.push(anything);
      return { n, said: anything };
    });
    const anything = { list: [1] };
    const answer = await client.call(contract, { anything });
    anything.list.push(2);
    (answer.said as typeof anything).list.push(3);
    expect(kept).toEqual([{ list: [1] }]);
    (kept[0] as typeof anything).list.push(4);
    expect([anything, answer.said]).toEqual([{ list: [1, 2] }, { list: [1, 3] }]);
  });

  it('has a context of its own: request id, trace, caller, deadline', async () => {
    let seen: RequestContext | undefined;
    const { contract, client } = await serving(async (request) => {
      seen = currentContext();
      return request;
    });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const context = { requestId: 'one\r\ntwo', traceparent, caller: { workspaceId: 'other', userId: 'u' } };
    const deadline = Date.now() + 5_000;
    await runInContext({ ...context, deadline }, () => client.call(contract, { workspace_id: 'w' }));
    const caller = { workspaceId: 'w', userId: '' };
    expect(seen).toEqual({ requestId: 'one  two', traceparent, caller, deadline: expect.any(Number) });
    expect(Math.abs((seen?.deadline ?? 0) - deadline)).toBeLessThan(3_000);
    await runInContext({ ...context, deadline }, () => client.call(contract, {}));
    expect(seen?.caller).toBeUndefined();
  });

  it('is void at its deadline where it sets a state', async () => {
    let seen: RequestContext | undefined;
    const contract = { ...anyContract(), setsState: true };
    const { client } = await serving(async (request) => {
      seen = currentContext();
      return request;
    }, contract);
    await within(5_000, () => client.call(contract, {}));
    expect(seen?.voidAtDeadline).toBe(true);
  });

  it('is rejected at its deadline or its own shorter time, and begins no work after it', async () => {
    let begun = 0;
    const { contract, client } = await serving(() => {
      begun += 1;
      return new Promise(() => {});
    });
    await expect(within(150, () => client.call(contract, {}))).rejects.toThrow('in time');
    await expect(within(60_000, () => client.call(contract, {}, { timeoutMs: 150 }))).rejects.toThrow('in time');
    const before = begun;
    await expect(within(-1, () => client.call(contract, {}))).rejects.toSatisfy(refusedWith('unavailable'));
    expect(begun).toBe(before);
  });

  it('is refused where the service has too many requests in hand', async () => {
    const gate = signal();
    const { contract, client } = await serving(async (request) => {
      await gate.sent;
      return request;
    });
    const calls = Array.from({ length: 2_010 }, (_, n) => client.call(contract, { n }));
    const refused = calls.slice(2_000).map((call) => expect(call).rejects.toSatisfy(refusedWith('unavailable')));
    await Promise.all(refused);
    gate.send();
    expect(await Promise.all(calls.slice(0, 2_000))).toHaveLength(2_000);
  });

  it('fails with the handler’s refusal, and as internal where the handler fails', async () => {
    const details = { current_version: 3 };
    const { contract, client } = await serving(async ({ n }) => {
      if (n === 1) throw new CardinalError('precondition_failed', 'late', details);
      throw new Error('column "x" does not exist');
    });
    const refusal = await client.call(contract, { n: 1 }).catch((error) => error);
    expect(refusal).toBeInstanceOf(CardinalError);
    expect(refusal).toMatchObject({ code: 'precondition_failed', message: 'late', details });
    const broken = runInContext(newContext({ requestId: `hidden ${way}`, timeoutMs: 5_000 }), () =>
      client.call(contract, { n: 2 }),
    );
    await expect(broken).rejects.toMatchObject({ code: 'internal', message: 'Internal error' });
    const line = broker.lines.find(({ request_id }) => request_id === `hidden ${way}`);
    expect(line).toMatchObject({ level: 'error', err: { stack: expect.stringContaining('local.int.test') } });
  });

  it('is held to its contract at both ends', async () => {
    const { contract, client } = await serving(async () => ({ n: 1.5 }));
    await expect(client.call(contract, { n: 1 })).rejects.toSatisfy(refusedWith('internal'));
    await expect(client.call(contract, { n: 1.5 })).rejects.toSatisfy(refusedWith('invalid_request'));
    await expect(client.fetch(contract, { n: 1.5 })).rejects.toSatisfy(refusedWith('unavailable'));
  });

  it('passes on the exact text of a document', async () => {
    const { contract, client } = await serving(async ({ n }) => new Document({ id: 'a', version: n }, `{"n":  ${n}}`));
    expect(await client.fetch(contract, { n: 1 })).toEqual(new Document({ id: 'a', version: 1 }, '{"n":  1}'));
    expect(await client.call(contract, { n: 2 })).toEqual({ n: 2 });
  });

  it('delays a drain; then another process of the service is called', async () => {
    const [began, go] = [signal(), signal()];
    const first = async ({ n }: { n: number }) => {
      began.send();
      await go.sent;
      return { n, said: 'first' };
    };
    const { contract, server, client } = await serving(first, anyContract(), 60_000);
    const other = await broker.bus({ name: 'card' });
    other.serve(contract, async (request) => ({ ...request, said: 'second' }));
    await other.ping();
    let inHand: Promise<unknown> | undefined;
    // Over the broker, the other process may be asked as well.
    const ask = () => client.call(contract, {});
    do inHand = ask();
    while (await Promise.race([began.sent, inHand]));
    const drained = server.drain();
    // Now the broker has the subscription.
    await server.ping();
    expect(await ask()).toMatchObject({ said: 'second' });
    go.send();
    expect(await inHand).toMatchObject({ said: 'first' });
    await drained;
  });

  it('reports whether the service is there, and that it cannot work', async () => {
    const { contract, client } = await serving(echo);
    const [, service = ''] = contract.subject.split('.');
    expect(await client.call(pingOf(service), {})).toEqual({});
  });

  it('is counted', async () => {
    const { contract, client } = await serving(echo);
    await client.call(contract, {});
    const { value } = await scrape(`http://127.0.0.1:${metrics.port}/metrics`);
    const ofService = way === 'in one process' ? { service: 'card' } : {};
    const labels = { subject: contract.subject, code: 'ok', ...ofService };
    expect(value('cardinal_bus_requests_total', labels)).toBe(1);
  });
});

it('a call is a span of its caller and one of its service, both ways', async () => {
  const receiver = await startOtlpReceiver();
  const telemetry = await startTelemetry({ service: 'test', endpoint: receiver.endpoint });
  const contracts = await Promise.all(
    Object.entries(busesOf).map(async ([way, buses]) => {
      const [[server, client], contract] = [await buses(), anyContract()];
      server.serve(contract, async ({ n }) => ({ n }));
      await server.ping();
      await within(5_000, () => span(way, {}, () => client.call(contract, {})));
      return { way, subject: contract.subject };
    }),
  );
  // A stop exports for 3 s at most, which a busy machine may exceed.
  const spans = await eventually(() => {
    const received = receiver.spans();
    expect(received).toHaveLength(3 * contracts.length);
    return received;
  });
  await telemetry.stop();
  await receiver.stop();
  const under = (id?: string) => spans.find(({ parentSpanId }) => parentSpanId === id);
  for (const { way, subject } of contracts) {
    const asked = under(spans.find(({ name }) => name === way)?.spanId);
    expect([asked?.name, under(asked?.spanId)?.name]).toEqual([subject, subject]);
  }
});

it('no service of a process may make a call that its contract does not allow', async () => {
  const local = createLocalCalls(['card', 'event']);
  const [card, event] = [await broker.bus({ name: 'card', local }), await broker.bus({ name: 'event', local })];
  const contract = anyContract();
  card.serve(contract, async ({ n }) => ({ n }));
  await expect(event.call(contract, {})).rejects.toSatisfy(refusedWith('internal'));
});

it('a ping asks the service of the own process alone, until that serves and after it stops', async () => {
  const contract = anyContract();
  const [, service = ''] = contract.subject.split('.');
  const local = createLocalCalls([service, 'gateway']);
  const [other, gateway] = [await broker.bus({ name: 'card' }), await broker.bus({ name: 'gateway', local })];
  other.serve(contract, async ({ n }) => ({ n }));
  await other.ping();
  const ping = () => gateway.call(pingOf(service), {});
  expect(await gateway.call(contract, { n: 1 })).toEqual({ n: 1 });
  await expect(ping()).rejects.toSatisfy(refusedWith('unavailable'));
  const card = await broker.bus({ name: 'card', local });
  card.serve(contract, async ({ n }) => ({ n }));
  expect(await ping()).toEqual({});
  await card.drain();
  await expect(ping()).rejects.toSatisfy(refusedWith('unavailable'));
});

describe('a signal', () => {
  it('that every process handles is handled in the own process before it was sent, in the scope of its listener', async () => {
    const local = createLocalCalls(['card', 'gateway']);
    const [card, gateway] = [await broker.bus({ name: 'card', local }), await broker.bus({ name: 'gateway', local })];
    const contract = defineSignal(`local-${randomUUID()}`, z.object({ n: z.int() }), {
      from: ['card'],
      to: ['gateway'],
      each: 'process',
    });
    const heard: unknown[] = [];
    inService('gateway', () =>
      gateway.onSignal(contract, ({ n }) => void heard.push([n, currentService(), currentContext()?.requestId])),
    );
    await gateway.ping();
    const context = newContext({ requestId: 'of the sender', timeoutMs: 1_000 });
    runInContext(context, () => card.signal(contract, { n: 1 }));
    expect(heard).toEqual([[1, 'gateway', undefined]]);
    await eventually(() => expect(heard, 'and by the broker').toHaveLength(2));

    await gateway.drain();
    card.signal(contract, { n: 2 });
    expect(heard).toHaveLength(2);
  });
});
