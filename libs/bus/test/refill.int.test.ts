import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declareStreams } from '../src/index.ts';
import { soon, useBroker } from './fixtures.ts';

const broker = useBroker();
const everyMs = 20;
let last = 0;

const streams = async () => (await (await broker.plain()).jetstreamManager()).streams;
const marksOf = async (owner: string) => {
  const { state } = await (await streams()).info('CARDINAL_EVENTS', { subjects_filter: `evt.outbox.${owner}.*` });
  return Object.keys(state.subjects ?? {});
};
const looked = async (owner: string) => {
  const asked = await broker.watch('$JS.API.STREAM.INFO.CARDINAL_EVENTS');
  await vi.waitFor(async () => expect((await asked()).length).toBeGreaterThan(2), soon);
  return marksOf(owner);
};

/** An outbox of its own for a test, and how often it was asked to refill the stream. */
const watching = async (refill: () => Promise<void> = async () => {}) => {
  last += 1;
  const owner = `outbox${last}`;
  const seen = vi.fn(refill);
  const start = async () => {
    const bus = await broker.bus();
    bus.republishOnStreamLoss({ owner, refill: seen, everyMs });
    return bus;
  };
  await start();
  await vi.waitFor(async () => expect(await marksOf(owner)).toHaveLength(1), soon);
  return { owner, seen, start };
};

beforeEach(() => declareStreams({ url: broker.server().url }));

describe('republishOnStreamLoss', () => {
  it('refills a stream that it meets for the first time, once for all instances and starts', async () => {
    const { owner, seen, start } = await watching();
    expect(seen).toHaveBeenCalledTimes(1);
    await start();
    expect(await looked(owner)).toHaveLength(1);
    expect(seen).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['made anew', (at: Awaited<ReturnType<typeof streams>>) => at.delete('CARDINAL_EVENTS')],
    ['emptied', (at: Awaited<ReturnType<typeof streams>>) => at.purge('CARDINAL_EVENTS')],
  ])('refills a stream that was %s', async (how, lose) => {
    const { owner, seen } = await watching();
    const [before] = await marksOf(owner);
    await lose(await streams());
    await declareStreams({ url: broker.server().url });
    await vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(2), soon);
    await vi.waitFor(async () => expect(await marksOf(owner)).toHaveLength(1), soon);
    const [after] = await marksOf(owner);
    expect(after === before).toBe(how === 'emptied');
  });

  it('takes a mark for nothing that speaks of another stream of that name', async () => {
    const { owner, seen } = await watching();
    const [mark = ''] = await marksOf(owner);
    await (await streams()).delete('CARDINAL_EVENTS');
    await declareStreams({ url: broker.server().url });
    await (await broker.plain()).jetstream().publish(mark);
    await vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(2), soon);
  });

  it('does not refill a stream that is full and dropped the mark', async () => {
    const { owner, seen } = await watching();
    await declareStreams({ url: broker.server().url, maxBytes: 20_000 });
    const jetstream = (await broker.plain()).jetstream();
    for (let at = 0; at < 40; at += 1) await jetstream.publish('evt.other', 'x'.repeat(1_000));
    const isTold = () =>
      expect(broker.lines.some(({ msg }) => msg === 'the stream is full and drops its oldest events')).toBe(true);
    await vi.waitFor(isTold, soon);
    await vi.waitFor(async () => expect(await looked(owner)).toHaveLength(1), soon);
    expect(seen).toHaveBeenCalledTimes(1);
  });

  it('tries again where the refill failed', async () => {
    let failures = 2;
    const { seen } = await watching(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('no database');
    });
    expect(seen).toHaveBeenCalledTimes(3);
  });

  it('looks on after the broker was away', async () => {
    const { owner, seen } = await watching();
    await broker.server().kill();
    await broker.server().restart();
    await vi.waitFor(async () => expect(await looked(owner)).toHaveLength(1), soon);
    expect(seen).toHaveBeenCalledTimes(1);
  });
});
