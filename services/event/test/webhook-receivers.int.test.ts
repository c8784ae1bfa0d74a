import { aCaller, eventually } from '@cardinal/testkit';
import { Webhook } from 'standardwebhooks';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type Receiver, startReceiver, status } from './support/receiver.ts';
import { startHarness } from './support/webhook-harness.ts';

// No attempt times out on a busy machine.
const harness = await startHarness({}, { timeoutMs: 60_000 });
const { hooked, failuresOf, pass } = harness;
const hour = 3_600_000;

const titles = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ title: `${at}`, ...more }));
const onCards = (count: number) => Array.from({ length: count }, (_, at) => ({ card: v7(), title: `${at}` }));
const titlesOf = ({ received }: Pick<Receiver, 'received'>) => received.map(({ event }) => event.data?.title);
const numbers = (count: number) => titles(count).map(({ title }) => title);

it('a new webhook gets the events from its creation on, signed as Standard Webhooks specify', async () => {
  const [by, receiver] = [aCaller(), await startReceiver()];
  await harness.log(by.workspace_id, [{ title: 'before' }]);
  const { id, secret } = await harness.hook(by, receiver.url);
  await harness.log(by.workspace_id, [{ title: 'after' }]);
  await eventually(() => expect(titlesOf(receiver)).toEqual(['after']));
  const [{ headers, body, event }] = receiver.received as [(typeof receiver.received)[0]];
  expect(new Webhook(secret).verify(body, headers)).toEqual(event);
  expect(headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' });
  expect(event.seq).toBe(2);
  await eventually(async () => {
    const [delivery] = await harness.deliveries(by, id);
    expect(delivery).toMatchObject({ event: { id: event.id, seq: 2 }, attempt: 1, status: 200, error: null });
  });
});

describe('a receiver that fails', () => {
  it('for one card holds up only that card, whose events then come in order', async () => {
    const [bad, good] = [v7(), v7()];
    const receiver = await startReceiver(({ event }, response) =>
      response.writeHead(event.card?.id === bad ? 500 : 204).end('no'),
    );
    const { by, id, log } = await hooked(receiver);
    await log([...titles(3, { card: bad }), ...titles(20, { card: good })]);
    const of = (card: string) => receiver.received.filter(({ event }) => event.card?.id === card);
    await eventually(() => expect(titlesOf({ received: of(good) })).toEqual(numbers(20)));
    // On a busy machine the retry may have come already.
    expect(new Set(titlesOf({ received: of(bad) }))).toEqual(new Set(['0']));
    await eventually(async () => {
      const failed = (await failuresOf(by, id)).at(-1);
      expect(failed).toMatchObject({ status: 500, attempt: 1, error: 'answered 500', answer: 'no' });
      const pause = Date.parse(failed?.next_try_at ?? '') - Date.parse(failed?.at ?? '');
      expect(pause).toBeGreaterThan(4_900);
      expect(pause).toBeLessThan(6_100);
    });
    receiver.answer = status(204);
    await pass(2_000, () => expect(titlesOf({ received: of(bad) }).at(-1)).toBe('2'));
    const titlesOfBad = titlesOf({ received: of(bad) });
    expect(titlesOfBad.slice(-3)).toEqual(numbers(3));
    expect(titlesOfBad.length).toBeGreaterThan(3);
    expect(new Set(titlesOfBad.slice(0, -2))).toEqual(new Set(['0']));
    const [first, second] = of(bad);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  });

  it('now and then gets all events, each card in order', async () => {
    const accepted = new Map<string, string[]>();
    const refused = new Set<string>();
    let attempts = 0;
    const receiver = await startReceiver(({ event }, response) => {
      attempts += 1;
      // Each event fails once: the backoff of repeated failures would grow to hours.
      if (attempts % 3 === 0 && !refused.has(event.id)) {
        refused.add(event.id);
        return response.writeHead(503).end();
      }
      const [card, title] = [event.card?.id ?? '', event.data?.title ?? ''];
      // The clock of this test may expire a lease, so an event may come twice.
      accepted.set(card, [...new Set([...(accepted.get(card) ?? []), title])]);
      return response.end();
    });
    const { log } = await hooked(receiver);
    const cards = Array.from({ length: 8 }, () => v7());
    await log(numbers(15).flatMap((title) => cards.map((card) => ({ card, title }))));
    await pass(2_000, () => expect([...accepted.values()].flat()).toHaveLength(8 * 15));
    for (const card of cards) expect(accepted.get(card)).toEqual(numbers(15));
    expect(refused.size).toBeGreaterThan(8);
  });

  it('for every event gets few attempts, makes the webhook `failing`, and gets all events in the end', async () => {
    const receiver = await startReceiver(status(500));
    const { by, id, log } = await hooked(receiver);
    const clock = () => Date.now() + harness.clock.ahead;
    const begunAt = clock();
    await log(onCards(300));
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(10));
    await pass(1_000, async () => expect((await harness.read(by, id)).state).toBe('failing'));
    // Up to sixteen attempts run before the failures are known, then one new event every five seconds. The clock of this test may
    // expire a lease: that session flushed no failure, and the next one may begin sixteen more.
    const attempted = new Set(receiver.received.map(({ event }) => event.id)).size;
    expect(attempted).toBeLessThan(120 + (clock() - begunAt) / 5_000);
    receiver.answer = status(200);
    const before = receiver.received.length;
    await pass(5_000, () =>
      expect(new Set(receiver.received.slice(before).map(({ event }) => event.id)).size).toBe(300),
    );
    await eventually(async () =>
      expect(await harness.read(by, id)).toMatchObject({ state: 'active', failing_since: null }),
    );
  });

  it('for three days disables the webhook, which continues at its position once enabled', async () => {
    const receiver = await startReceiver(status(500));
    const { by, id, log } = await hooked(receiver);
    await log(titles(5));
    const times: number[] = [];
    for (let next: string | null | undefined = ''; next !== null; ) {
      const attempt = times.length + 1;
      const last = await eventually(async () => {
        harness.instance.context.deliveries.nudge(by.workspace_id);
        const [latest] = await failuresOf(by, id);
        expect(latest).toMatchObject({ status: 500, attempt });
        return latest;
      });
      times.push(Date.parse(last?.at ?? ''));
      next = last?.next_try_at;
      if (next) harness.clock.ahead = Date.parse(next) - Date.now();
    }
    expect(await harness.read(by, id)).toMatchObject({ state: 'disabled', disabled_reason: 'failures' });
    const pauses = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    for (const [at, least] of [5, 30, 120, 600, 3_600, 21_600].entries()) {
      expect(pauses[at]).toBeGreaterThanOrEqual(least * 1_000);
      expect(pauses[at]).toBeLessThan(least * 1_200 + 30_000);
    }
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(72 * hour);
    const before = receiver.received.length;
    receiver.answer = status(200);
    await log([{ title: '5' }]);
    await harness.patch(by, id, { state: 'active' });
    await eventually(() => expect(titlesOf(receiver).slice(before)).toEqual(numbers(6)));
    expect(await harness.read(by, id)).toMatchObject({ state: 'active', disabled_reason: null });
  });

  it('with 410 disables the webhook at once, which continues at its position once enabled', async () => {
    const receiver = await startReceiver(status(410));
    const { by, id, log } = await hooked(receiver);
    await log(titles(3));
    await eventually(async () =>
      expect(await harness.read(by, id)).toMatchObject({ state: 'disabled', disabled_reason: 'gone' }),
    );
    expect(titlesOf(receiver)).toEqual(['0']);
    receiver.answer = status(200);
    await harness.patch(by, id, { state: 'active' });
    await eventually(() => expect(titlesOf(receiver)).toEqual(['0', '0', '1', '2']));
  });

  it('with Retry-After gets no attempt of any event before that', async () => {
    const receiver = await startReceiver(status(429, { 'retry-after': '600' }));
    const { by, id, log } = await hooked(receiver);
    await log([{ title: '0' }]);
    await eventually(async () => expect(await failuresOf(by, id)).toHaveLength(1));
    const [failed] = await failuresOf(by, id);
    expect(Date.parse(failed?.next_try_at ?? '') - Date.parse(failed?.at ?? '')).toBeGreaterThan(599_000);
    receiver.answer = status(200);
    await log(onCards(1));
    harness.clock.ahead += 300_000;
    // Once another webhook is served, this one would have been too.
    const other = await startReceiver();
    const { log: logOther } = await hooked(other);
    await logOther([{}]);
    await eventually(() => expect(other.received).toHaveLength(1));
    expect(receiver.received).toHaveLength(1);
    harness.clock.ahead += 301_000;
    await eventually(() => expect(receiver.received).toHaveLength(3));
  });

  it('with a redirect fails, and the redirect is not followed', async () => {
    const elsewhere = await startReceiver();
    const { by, id, log } = await hooked(await startReceiver(status(302, { location: elsewhere.url })));
    await log([{}]);
    await eventually(async () =>
      expect(await failuresOf(by, id)).toMatchObject([
        { status: 302, error: 'answered 302: redirects are not followed' },
      ]),
    );
    expect(elsewhere.received).toEqual([]);
  });
});

describe('a receiver', () => {
  it('that hangs does not delay others', async () => {
    const own = await startHarness({}, { timeoutMs: 600_000 });
    const [hanging, good] = [await startReceiver(() => {}), await startReceiver()];
    const [stuck, alsoStuck, served] = [aCaller(), aCaller(), aCaller()];
    for (const by of [stuck, alsoStuck]) await own.hook(by, hanging.url);
    await own.hook(stuck, good.url);
    await own.hook(served, good.url);
    for (const by of [stuck, alsoStuck]) await own.log(by.workspace_id, onCards(40));
    await eventually(() => expect(hanging.received.length).toBeGreaterThanOrEqual(4));
    await own.log(served.workspace_id, onCards(100));
    await eventually(() => expect(good.received).toHaveLength(140));
    expect(hanging.received).toHaveLength(4);
  });

  it('that hangs for one card holds up no other card', async () => {
    const own = await startHarness({}, { timeoutMs: 600_000 });
    const [bad, by] = [v7(), aCaller()];
    const receiver = await startReceiver(({ event }, response) => event.card?.id !== bad && response.end());
    await own.hook(by, receiver.url);
    await own.log(by.workspace_id, [...titles(3, { card: bad }), ...onCards(100)]);
    await eventually(() => expect(receiver.received).toHaveLength(101));
    await own.log(by.workspace_id, onCards(500));
    await eventually(() => expect(receiver.received).toHaveLength(601));
  });

  it('that hangs gets a retry after the timeout', async () => {
    const own = await startHarness({}, { timeoutMs: 3_000 });
    const receiver = await startReceiver(() => {});
    const { by, id, log } = await own.hooked(receiver);
    await log(titles(2));
    await eventually(async () =>
      expect((await own.failuresOf(by, id)).at(-1)).toMatchObject({ status: null, error: 'no answer within 3 s' }),
    );
    receiver.answer = status(200);
    await own.pass(1_000, () => expect(titlesOf(receiver).at(-1)).toBe('1'));
  });

  it('that is down gets all events once it is up again', async () => {
    const down = await startReceiver();
    await down.stop();
    const { by, id, log } = await hooked(down);
    await log([...titles(5), ...onCards(30)]);
    await eventually(async () =>
      expect((await failuresOf(by, id))[0]).toMatchObject({ status: null, error: 'the connection was refused' }),
    );
    const up = await startReceiver(status(200), down.port);
    await pass(2_000, () => expect(up.received).toHaveLength(35));
    expect(titlesOf({ received: up.received.filter(({ event }) => event.card === null) })).toEqual(numbers(5));
  });

  it('that is slow gets several cards concurrently', async () => {
    let [now, most] = [0, 0];
    const receiver = await startReceiver((_, response) => {
      now += 1;
      most = Math.max(most, now);
      setTimeout(() => {
        now -= 1;
        response.end();
      }, 100);
    });
    const { log } = await hooked(receiver);
    await log(onCards(64));
    await eventually(() => expect(receiver.received).toHaveLength(64));
    expect(most).toBeGreaterThan(8);
    expect(most).toBeLessThanOrEqual(16);
  });

  it('that closes the connection before its status gets a retry, and none after its status', async () => {
    const receiver = await startReceiver((_, response, request) => {
      if (receiver.received.length === 1) request.socket.destroy();
      else response.writeHead(200, { 'content-length': '100' }).write('half', () => request.socket.destroy());
    });
    const { by, id, log } = await hooked(receiver);
    await log([{ title: '0' }]);
    await eventually(async () =>
      expect(await failuresOf(by, id)).toMatchObject([{ status: null, error: 'the connection was closed' }]),
    );
    await pass(2_000, async () => {
      const [latest] = await harness.deliveries(by, id);
      expect(latest).toMatchObject({ attempt: 2, status: 200, error: null });
    });
    expect(receiver.received).toHaveLength(2);
  });

  it('that never ends its answer is cut off, and counts as a delivery', async () => {
    const receiver = await startReceiver((_, response) => {
      const more = () => void response.write('x'.repeat(16_384), (error) => error ?? setImmediate(more));
      response.on('error', () => {});
      more();
    });
    const { by, id, log } = await hooked(receiver);
    await log([{ title: '0' }]);
    await eventually(async () =>
      expect(await harness.deliveries(by, id)).toMatchObject([{ status: 200, answer: 'x'.repeat(1_024) }]),
    );
  });

  it('gets its requests over connections that are reused', async () => {
    const receiver = await startReceiver();
    const { log } = await hooked(receiver);
    await log(onCards(500));
    await eventually(() => expect(receiver.received).toHaveLength(500));
    expect(receiver.connections).toBeLessThan(50);
  });
});
