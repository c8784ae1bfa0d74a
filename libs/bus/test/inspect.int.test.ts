import { defineEvent } from '@cardinal/contracts';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { declareStreams, inspectConsumers, storedEventIds } from '../src/index.ts';
import { eventOf, refusedWith, signal, soon, useBroker } from './fixtures.ts';

const broker = useBroker();
const there = () => broker.server();
const longAgo = new Date(0);
const [made, gone] = [defineEvent('test.made', 1, z.object({})), defineEvent('test.gone', 1, z.object({}))];

const publish = async (...kinds: (typeof made)[]) => {
  const bus = await broker.bus();
  const events = kinds.map((kind) => eventOf(kind));
  for (const event of events) await bus.publish(event);
  return events.map(({ id }) => id);
};
const streams = async () => (await (await broker.plain()).jetstreamManager()).streams;
/** What waits at each consumer, by its name. */
const waiting = async () =>
  Object.fromEntries((await inspectConsumers(there()))?.map((one) => [one.durable, one.waiting]) ?? []);

beforeEach(async () => {
  await declareStreams({ ...there(), consumers: [] });
  await (await streams()).delete('CARDINAL_EVENTS');
  await declareStreams({ ...there(), consumers: [] });
});

describe('inspectConsumers', () => {
  it('names every durable consumer, with the oldest event that it has not dealt with', async () => {
    const hanging = await broker.bus({ drainTimeoutMs: 10 });
    const quick = await broker.bus();
    const { send: letGo, sent: free } = signal();
    const seen: string[] = [];
    const [first = '', , second = ''] = await publish(made, gone, made, made);
    hanging.consume({
      consumer: await broker.declare('hanging', made),
      handle: async ({ id }) => {
        seen.push(id);
        if (id === second) await free;
      },
      onPoison: async () => {},
    });
    const consumer = await broker.declare('quick', made, gone);
    quick.consume({ consumer, handle: async () => {}, onPoison: async () => {} });

    const since = expect.any(Date);
    await vi.waitFor(
      async () =>
        expect(await waiting()).toEqual({ quick: undefined, hanging: { sequence: 3, subject: made.subject, since } }),
      soon,
    );
    expect(seen).toContain(first);
    letGo();
    await vi.waitFor(async () => expect(await waiting()).toEqual({ quick: undefined, hanging: undefined }), soon);

    await quick.drain();
    await publish(made, gone);
    expect((await waiting()).quick).toMatchObject({ sequence: 5, subject: made.subject });
    await (await streams()).purge('CARDINAL_EVENTS', { filter: made.subject });
    expect((await waiting()).quick).toMatchObject({ sequence: 6, subject: gone.subject });
  });

  it('tells that there is no stream, or that the broker does not answer', async () => {
    await (await streams()).delete('CARDINAL_EVENTS');
    expect(await inspectConsumers(there())).toBeUndefined();
    for (const wrong of [there().url.replace('test:test', 'test:wrong'), 'nats://127.0.0.1:1']) {
      await expect(inspectConsumers({ url: wrong })).rejects.toSatisfy(refusedWith('unavailable'));
    }
  });
});

describe('storedEventIds', () => {
  it('tells every event of the stream, marks of outboxes aside, and no longer those that were purged', async () => {
    expect(await storedEventIds(there(), longAgo)).toEqual(new Set());
    const ids = await publish(...Array.from({ length: 20 }, (_, at) => (at % 2 ? made : gone)));
    await (await broker.plain()).jetstream().publish('evt.outbox.card.1', '');
    expect(await storedEventIds(there(), longAgo)).toEqual(new Set(ids));
    await (await streams()).purge('CARDINAL_EVENTS', { filter: gone.subject });
    expect(await storedEventIds(there(), longAgo)).toEqual(new Set(ids.filter((_, at) => at % 2)));
  });

  it('reads a stream of more events than it asks for at once', async () => {
    const bus = await broker.bus();
    await Promise.all(Array.from({ length: 5_100 }, () => bus.publish(eventOf(made))));
    expect((await storedEventIds(there(), longAgo))?.size).toBe(5_100);
  });

  it('begins with what was stored at the moment that is named', async () => {
    await publish(made);
    const { state } = await (await streams()).info('CARDINAL_EVENTS');
    const [later = ''] = await publish(made);
    const after = new Date(Date.parse(state.last_ts) + 1);
    expect(await storedEventIds(there(), after)).toEqual(new Set([later]));
    expect(await storedEventIds(there(), new Date(Date.now() + 60_000))).toEqual(new Set());
  });

  it('tells that there is no stream', async () => {
    await (await streams()).delete('CARDINAL_EVENTS');
    expect(await storedEventIds(there(), longAgo)).toBeUndefined();
  });
});
