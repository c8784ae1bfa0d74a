import { CardinalError, defineEvent, type Event } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { DiscardPolicy } from 'nats';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { declareStreams } from '../src/index.ts';
import { aConsumer, eventOf, refusedWith, signal, soon, useBroker } from './fixtures.ts';

const broker = useBroker();
let last = 0;

/** A kind of event that belongs to no other test. */
const anyEvent = () => {
  last += 1;
  return defineEvent(`test${last}.happened`, 1, z.object({ n: z.int() }));
};

const collector = () => {
  const events: Event[] = [];
  const poison: { event: unknown; error: unknown }[] = [];
  return {
    events,
    poison,
    numbers: () => events.map((event) => (event.data as { n: number }).n).toSorted((a, b) => a - b),
    handle: async (event: Event) => {
      events.push(event);
    },
    onPoison: async (event: unknown, error: unknown) => {
      poison.push({ event, error });
    },
  };
};

beforeAll(() => declareStreams({ url: broker.server().url }));

describe('publish and consume', () => {
  it('delivers each event, in the context of the request that made it, and drops the second copy of one', async () => {
    const contract = anyEvent();
    const [publisher, consumer, seen] = [await broker.bus(), await broker.bus(), collector()];
    const requests: (string | undefined)[] = [];
    const event = eventOf(contract, 1);
    await publisher.publish(event);
    await publisher.publish(event);
    consumer.consume({
      ...seen,
      consumer: await broker.declare('delivers', contract),
      handle: async (one) => {
        requests.push(currentContext()?.requestId);
        await seen.handle(one);
      },
    });
    await publisher.publish(eventOf(contract, 2));
    await vi.waitFor(() => expect(seen.numbers()).toEqual([1, 2]), soon);
    expect(seen.events[0]).toEqual(event);
    expect(requests).toEqual(['req-1', 'req-2']);
  });

  it('remembers what was acknowledged', async () => {
    const contract = anyEvent();
    const [publisher, before, after] = [await broker.bus(), collector(), collector()];
    const first = await broker.bus();
    await publisher.publish(eventOf(contract, 1));
    first.consume({ ...before, consumer: await broker.declare('remembers', contract) });
    await vi.waitFor(() => expect(before.numbers()).toEqual([1]), soon);
    await first.drain();
    const { consumers } = await (await broker.plain()).jetstreamManager();
    const info = () => consumers.info('CARDINAL_EVENTS', 'remembers');
    await vi.waitFor(
      async () => expect(await info()).toMatchObject({ num_ack_pending: 0, ack_floor: { consumer_seq: 1 } }),
      soon,
    );
    await publisher.publish(eventOf(contract, 2));
    await (await broker.bus()).consume({ ...after, consumer: await broker.declare('remembers', contract) });
    await vi.waitFor(() => expect(after.numbers()).toEqual([2]), soon);
    expect(before.numbers()).toEqual([1]);
  });

  it('finishes the event in hand before it stops', async () => {
    const contract = anyEvent();
    const [bus, publisher, began, go] = [
      await broker.bus({ drainTimeoutMs: 10_000 }),
      await broker.bus(),
      signal(),
      signal(),
    ];
    let finished = false;
    bus.consume({
      consumer: await broker.declare('finishes', contract),
      handle: async () => {
        began.send();
        await go.sent;
        finished = true;
      },
      onPoison: async () => {},
    });
    await publisher.publish(eventOf(contract, 1));
    await began.sent;
    const drained = bus.drain();
    expect(finished).toBe(false);
    go.send();
    await drained;
    expect(finished).toBe(true);
  });
});

describe('failures', () => {
  it('tries an event again, gives it up after so many failures, and goes on with the rest', async () => {
    const contract = anyEvent();
    const [bus, seen] = [await broker.bus(), collector()];
    const tries = [0, 0, 0];
    bus.consume({
      ...seen,
      consumer: await broker.declare('tries', contract),
      maxDeliver: 3,
      handle: async (event) => {
        const { n } = event.data as { n: number };
        tries[n] = (tries[n] ?? 0) + 1;
        if (n === 0) throw new Error('never');
        if (n === 1 && tries[n] === 1) throw new Error('not yet');
        await seen.handle(event);
      },
    });
    const events = [0, 1, 2].map((n) => eventOf(contract, n));
    for (const event of events) await bus.publish(event);
    await vi.waitFor(() => expect(seen.poison).toHaveLength(1), soon);
    await vi.waitFor(() => expect(seen.numbers()).toEqual([1, 2]), soon);
    expect(seen.poison[0]).toEqual({ event: events[0], error: expect.objectContaining({ message: 'never' }) });
    expect(tries).toEqual([3, 2, 1]);
  });

  it('keeps what is no event of the contract', async () => {
    const contract = anyEvent();
    const [bus, seen, plain] = [await broker.bus(), collector(), await broker.plain()];
    bus.consume({ ...seen, consumer: await broker.declare('keeps', contract), maxDeliver: 1 });
    await plain.jetstream().publish(contract.subject, 'not json');
    await plain.jetstream().publish(contract.subject, JSON.stringify({ ...eventOf(contract, 1), data: {} }));
    await vi.waitFor(() => expect(seen.poison).toHaveLength(2), soon);
    expect(seen.poison.map(({ event }) => event)).toContain('not json');
    expect(seen.events).toEqual([]);
  });

  it('does not blame an event for an outage, nor loses one that could not be kept', async () => {
    const contract = anyEvent();
    const [bus, seen] = [await broker.bus(), collector()];
    let [tries, burials] = [0, 0];
    bus.consume({
      consumer: await broker.declare('outage', contract),
      maxDeliver: 1,
      handle: async (event) => {
        const { n } = event.data as { n: number };
        if (n === 2) throw new Error('broken');
        tries += 1;
        if (tries < 3) throw new CardinalError('unavailable', 'no database');
        await seen.handle(event);
      },
      onPoison: async (event, error) => {
        burials += 1;
        if (burials === 1) throw new CardinalError('unavailable', 'no database');
        await seen.onPoison(event, error);
      },
    });
    await bus.publish(eventOf(contract, 1));
    await bus.publish(eventOf(contract, 2));
    await vi.waitFor(() => expect([seen.numbers(), seen.poison.length]).toEqual([[1], 1]), soon);
    expect([tries, burials]).toEqual([3, 2]);
  });
});

describe('the stream', () => {
  it('can be declared again and again', async () => {
    await declareStreams({ url: broker.server().url });
    const manager = await (await broker.plain()).jetstreamManager();
    const { config } = await manager.streams.info('CARDINAL_EVENTS');
    const seconds = 1_000_000_000;
    expect(config).toMatchObject({
      subjects: ['evt.>'],
      storage: 'file',
      max_age: 7 * 24 * 3_600 * seconds,
      max_bytes: 2 * 1_024 ** 3,
      max_msg_size: 1_048_576,
      discard: 'old',
      duplicate_window: 120 * seconds,
    });
  });

  it('drops its oldest events when it is full, and takes every new one', async () => {
    const contract = anyEvent();
    const [bus, seen, plain] = [await broker.bus(), collector(), await broker.plain()];
    await declareStreams({ url: broker.server().url, maxBytes: 20_000, consumers: [] });
    const consumer = await broker.declare('full', contract);
    await declareStreams({ url: broker.server().url, maxBytes: 20_000, consumers: [] });
    for (let n = 0; n < 100; n += 1) await bus.publish(eventOf(contract, n));
    const { state } = await (await plain.jetstreamManager()).streams.info('CARDINAL_EVENTS');
    expect(state.bytes).toBeLessThanOrEqual(20_000);
    bus.consume({ ...seen, consumer });
    await vi.waitFor(() => expect(seen.numbers().at(-1)).toBe(99), soon);
    expect(seen.numbers()[0]).toBeGreaterThan(0);
    await declareStreams({ url: broker.server().url, consumers: [] });
  });

  it('that takes no event is an outage until it does again', async () => {
    const contract = anyEvent();
    const [bus, plain] = [await broker.bus(), await broker.plain()];
    const { streams } = await plain.jetstreamManager();
    await streams.update('CARDINAL_EVENTS', { max_bytes: 1, discard: DiscardPolicy.New });
    await expect(bus.publish(eventOf(contract, 1))).rejects.toSatisfy(refusedWith('unavailable'));
    await declareStreams({ url: broker.server().url, consumers: [] });
    await bus.publish(eventOf(contract, 1));
  });

  it('survives a killed broker with its events, and so does who consumes', async () => {
    const contract = anyEvent();
    const [bus, seen] = [await broker.bus(), collector()];
    bus.consume({ ...seen, consumer: await broker.declare('survives', contract) });
    await bus.publish(eventOf(contract, 1));
    await vi.waitFor(() => expect(seen.numbers()).toEqual([1]), soon);
    await broker.server().kill();
    await vi.waitFor(() => expect(bus.isHealthy()).toBe(false), soon);
    await expect(bus.publish(eventOf(contract, 2))).rejects.toSatisfy(refusedWith('unavailable'));
    await broker.server().restart();
    await vi.waitFor(() => bus.publish(eventOf(contract, 3)), soon);
    await vi.waitFor(() => expect(seen.numbers()).toEqual([1, 3]), soon);
  });

  it('that is deleted and declared again has its consumers back', async () => {
    const contract = anyEvent();
    const [bus, seen, plain] = [await broker.bus(), collector(), await broker.plain()];
    bus.consume({ ...seen, consumer: await broker.declare('back', contract) });
    await bus.publish(eventOf(contract, 1));
    await vi.waitFor(() => expect(seen.numbers()).toEqual([1]), soon);
    const manager = await plain.jetstreamManager();
    await manager.streams.delete('CARDINAL_EVENTS');
    await expect(bus.publish(eventOf(contract, 2))).rejects.toSatisfy(refusedWith('unavailable'));
    await broker.declare('back', contract);
    await bus.publish(eventOf(contract, 3));
    await vi.waitFor(() => expect(seen.numbers()).toEqual([1, 3]), soon);
  });

  it('is waited for by who consumes before the deploy step ran', async () => {
    const contract = anyEvent();
    const [bus, seen, plain] = [await broker.bus(), collector(), await broker.plain()];
    await (await plain.jetstreamManager()).streams.delete('CARDINAL_EVENTS');
    bus.consume({ ...seen, consumer: aConsumer('waited', contract) });
    const isTold = () =>
      expect(broker.lines.filter(({ durable }) => durable === 'waited')).toEqual([
        expect.objectContaining({ reason: 'stream not found', msg: 'the consumer is interrupted' }),
      ]);
    await vi.waitFor(isTold, soon);
    await declareStreams({ url: broker.server().url, consumers: [] });
    await bus.publish(eventOf(contract, 1));
    expect(seen.numbers()).toEqual([]);
    await broker.declare('waited', contract);
    await vi.waitFor(() => expect(seen.numbers()).toEqual([1]), soon);
  });
});
