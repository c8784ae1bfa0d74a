import { EventEmitter } from 'node:events';
import type { Caller } from '@cardinal/contracts';
import { createLogger, currentContext } from '@cardinal/runtime';
import { aCaller, eventually } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { createFlush, type Progress } from '../src/webhooks/flush.ts';
import type { LeasedWebhook } from '../src/webhooks/leases.ts';
import { closedBreaker } from '../src/webhooks/pace.ts';
import { createReaders } from '../src/webhooks/reading.ts';
import { createVault } from '../src/webhooks/secrets.ts';
import { createSender } from '../src/webhooks/sender.ts';
import { runSession } from '../src/webhooks/session.ts';
import { type Received, startReceiver, status } from './support/receiver.ts';
import { startHarness } from './support/webhook-harness.ts';

const harness = await startHarness({}, { timeoutMs: 60_000 });
const { hooked, failuresOf } = harness;

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);
const titles = (count: number, more: object = {}) => numbers(count).map((title) => ({ title, ...more }));
const titlesOf = (received: readonly Received[]) => received.map(({ event }) => event.data?.title);

/** Creates a webhook that the test leases, with nothing to send. */
const aLease = async (by: Caller = aCaller()) => {
  const { id } = await harness.hook(by, 'http://127.0.0.1:1/');
  const lease = async (lease_id: string) => {
    const { rows } = await harness.db.statement((tx) =>
      sql<LeasedWebhook>`
        update webhooks set lease_id = ${lease_id}, leased_until = now() + interval '10 s', taken_at = now()
        where id = ${id} returning *`.execute(tx),
    );
    return { ...(rows[0] as LeasedWebhook), last: 0 };
  };
  return { by, id, lease, webhook: await lease(v7()) };
};
const positionOf = async (id: string) => {
  const { rows } = await harness.db.read((tx) =>
    sql<{ position: number }>`select position from webhooks where id = ${id}`.execute(tx),
  );
  return rows[0]?.position;
};
const progressOf = (webhook: LeasedWebhook, more: Partial<Progress> = {}): Progress => ({
  webhook,
  deliveries: [],
  cleared: [],
  waiting: [],
  position: 7,
  leaseMs: 10_000,
  retryAt: null,
  release: undefined,
  at: new Date(),
  ...more,
});

describe('a flush', () => {
  const flush = createFlush(harness.instance.context);
  const failing = { state: 'failing', failing_since: new Date() } as const;

  it('stores the position but not the state if a client changed the state meanwhile', async () => {
    const { by, id, webhook } = await aLease();
    await harness.patch(by, id, { state: 'paused' });
    const result = await flush(progressOf(webhook, { change: failing }));
    expect(result).toMatchObject({ version: 2, unchanged: false });
    expect(await harness.read(by, id)).toMatchObject({ state: 'paused', version: 2 });
    expect(await positionOf(id)).toBe(7);
  });

  it('stores nothing if another process has the lease', async () => {
    const { id, lease, webhook } = await aLease();
    await lease(v7());
    expect(await flush(progressOf(webhook))).toBeUndefined();
    expect(await positionOf(id)).toBe(0);
  });

  it('adds a delivery once though it is repeated because its outcome was unknown', async () => {
    const { by, id, webhook } = await aLease();
    const delivery = {
      event_id: null,
      type: null,
      seq: null,
      attempt: 1,
      status: 200,
      milliseconds: 1,
      answer: null,
      error: null,
      next_try_at: null,
      at: new Date(),
    };
    for (const deliveries of [[delivery], [delivery, { ...delivery, attempt: 2 }]])
      expect(await flush(progressOf(webhook, { deliveries }))).toMatchObject({ unchanged: true });
    const { rows } = await harness.db.read((tx) =>
      sql`select attempt from deliveries where workspace_id = ${by.workspace_id} and webhook_id = ${id} order by id`.execute(
        tx,
      ),
    );
    expect(rows).toEqual([{ attempt: 1 }, { attempt: 2 }]);
  });

  it('of several webhooks in one statement stores each independently', async () => {
    const by = aCaller();
    const leases = [await aLease(by), await aLease(by), await aLease(by)];
    const [first, lost, third] = leases as [(typeof leases)[0], (typeof leases)[0], (typeof leases)[0]];
    await lost.lease(v7());
    const waits = { lane: 'workspace', ranges: [[3, null]] as const, attempts: 1, firstFailedAt: 1, dueAt: 2 };
    const all = await Promise.all([
      flush(progressOf(first.webhook, { change: failing })),
      flush(progressOf(lost.webhook)),
      flush(progressOf(third.webhook, { waiting: [waits] })),
    ]);
    expect(all.map((one) => one?.version)).toEqual([2, undefined, 1]);
    const { rows } = await harness.db.read((tx) =>
      sql`select webhook_id, ranges from waiting_deliveries where workspace_id = ${by.workspace_id}`.execute(tx),
    );
    expect(rows).toEqual([{ webhook_id: third.id, ranges: [[3, null]] }]);
    expect(await harness.read(by, first.id)).toMatchObject({ state: 'failing' });
  });
});

it('a session calls the card service as the creator of the webhook, so that fair queueing charges the workspace', async () => {
  const { by, webhook } = await aLease();
  const last = await harness.logQuietly(by.workspace_id, [{ board: v7() }]);
  const callers: unknown[] = [];
  const context = {
    db: harness.db,
    logger: createLogger({ service: 'event', level: 'silent' }),
    sight: async () => {
      callers.push(currentContext()?.caller);
      return { seen: new Set<string>(), open: new Set<string>() };
    },
    sender: createSender({ isAllowed: () => true }),
    vault: createVault('k'.repeat(32)),
    measure: () => {},
    lineage: harness.instance.context.lineage,
  };
  const [growth, stopping] = [new EventEmitter(), new AbortController().signal];
  await runSession(
    context,
    { ...webhook, last },
    {
      waiting: Promise.resolve(new Map()),
      leaseMs: 10_000,
      passed: () => 0,
      breaker: closedBreaker,
      readers: createReaders(context),
      flush: createFlush(context),
      growth,
      stopping,
      isCrowded: () => false,
      onHanging: () => {},
    },
  );
  expect(callers).toEqual([{ workspaceId: by.workspace_id, userId: by.user_id }]);
});

it('the webhooks of a creator share a question to the card service which boards the creator sees', async () => {
  const [by, board, receivers] = [aCaller(), v7(), await Promise.all(numbers(20).map(() => startReceiver()))];
  for (const { url } of receivers) await harness.hook(by, url);
  const before = harness.questions.count;
  await harness.log(by.workspace_id, [{ board }]);
  for (const { received } of receivers) await eventually(() => expect(received).toHaveLength(1));
  // Sessions that begin during a question share the next one.
  expect(harness.questions.count - before).toBeLessThan(10);
});

describe('a card whose events fail', () => {
  it('holds up no other card, however many events are pending, and is delivered in order once the receiver accepts it', async () => {
    const bad = v7();
    const receiver = await startReceiver(({ event }, response) =>
      response.writeHead(event.card?.id === bad ? 500 : 204).end(),
    );
    const { by, id, log } = await hooked(receiver);
    await log(titles(1, { card: bad }));
    await eventually(async () => expect(await failuresOf(by, id)).toHaveLength(1));
    await log(titles(1_200, { card: bad }).slice(1));
    const cards = numbers(5).map((title) => ({ card: v7(), title }));
    await log(cards);
    const of = (isBad: boolean) => receiver.received.filter(({ event }) => (event.card?.id === bad) === isBad);
    await eventually(() => expect(titlesOf(of(false)).toSorted()).toEqual(numbers(5)));
    const { rows } = await harness.db.read((tx) =>
      sql`select from waiting_deliveries where webhook_id = ${id}`.execute(tx),
    );
    expect(rows).toHaveLength(1);
    receiver.answer = status(204);
    await harness.pass(2_000, () => expect(titlesOf(of(true)).at(-1)).toBe('1199'));
    expect([...new Set(titlesOf(of(true)))]).toEqual(numbers(1_200));
  });
});

it('a replay whose card fails delivers the rest of its range in order, then new events', async () => {
  const [by, card] = [aCaller(), v7()];
  const receiver = await startReceiver();
  const { id } = await harness.hook(by, receiver.url);
  await harness.log(by.workspace_id, titles(6, { card }));
  await eventually(() => expect(receiver.received).toHaveLength(6));
  receiver.answer = status(500);
  await harness.replay(by, id, { after: 1, until: 3 });
  await eventually(() => expect(receiver.received).toHaveLength(7));
  await harness.log(by.workspace_id, [{ card, title: 'new' }]);
  await eventually(async () => expect((await harness.read(by, id)).replay).toBeNull());
  receiver.answer = status(204);
  await harness.pass(2_000, () => expect(titlesOf(receiver.received).at(-1)).toBe('new'));
  expect([...new Set(titlesOf(receiver.received.slice(6)))]).toEqual(['1', '2', 'new']);
});

it('events that were read before are not sent once their board is hidden from the creator', async () => {
  const answers: (() => void)[] = [];
  const receiver = await startReceiver((_, response) => void answers.push(() => response.end()));
  const { log, by, id } = await hooked(receiver);
  const [board, card] = [v7(), v7()];
  await log(titles(8, { board, card }));
  await eventually(() => expect(answers).toHaveLength(1));
  // Older than a visibility check may be, but not a hanging attempt.
  harness.clock.ahead += 700;
  answers[0]?.();
  await eventually(() => expect(answers).toHaveLength(2));
  harness.hide(board);
  harness.clock.ahead += 700;
  answers[1]?.();
  await eventually(async () => expect(await failuresOf(by, id)).toHaveLength(6));
  expect(titlesOf(receiver.received)).toEqual(['0', '1']);
});

it('a card that moves to a hidden board is sent as an event that shows nothing of that board', async () => {
  const receiver = await startReceiver();
  const { log } = await hooked(receiver);
  const [board, secret, card] = [v7(), v7(), v7()];
  harness.hide(secret);
  await log([
    { board, card },
    { type: 'card.moved', board: secret, other: board, card, title: 'secret' },
  ]);
  await log([{ board: secret, card }, { title: 'last' }]);
  await eventually(() => expect(titlesOf(receiver.received)).toContain('last'));
  const [seen, departure, ...more] = receiver.received.filter(({ event }) => event.card?.id === card);
  expect([seen?.event.type, more]).toEqual(['card.updated', []]);
  expect(departure?.event).toMatchObject({ type: 'card.moved', board_id: board, previous: {}, data: null });
  expect(departure?.body).not.toContain('secret');
  expect(departure?.body).not.toContain(secret);
});

it('a webhook that is paused during a session sends nothing more', async () => {
  const release = Promise.withResolvers<void>();
  const receiver = await startReceiver((_, response) => void release.promise.then(() => response.end()));
  const { by, id, log } = await hooked(receiver);
  await log(titles(3, { card: v7() }));
  await eventually(() => expect(receiver.received).toHaveLength(1));
  await harness.patch(by, id, { state: 'paused' });
  harness.clock.ahead += 700;
  release.resolve();
  await eventually(async () => expect(await harness.deliveries(by, id)).toHaveLength(1));
  await eventually(async () => {
    const { rows } = await harness.db.read((tx) => sql`select lease_id from webhooks where id = ${id}`.execute(tx));
    expect(rows).toEqual([{ lease_id: null }]);
  });
  expect(titlesOf(receiver.received)).toEqual(['0']);
  await harness.patch(by, id, { state: 'active' });
  await eventually(() => expect(titlesOf(receiver.received)).toEqual(['0', '1', '2']));
});

it('an edit during an attempt does not override the Retry-After of its answer', async () => {
  const release = Promise.withResolvers<void>();
  const receiver = await startReceiver(
    (_, response) => void release.promise.then(() => response.writeHead(429, { 'retry-after': '600' }).end()),
  );
  const { by, id, log } = await hooked(receiver);
  await log(titles(1, { card: v7() }));
  await eventually(() => expect(receiver.received).toHaveLength(1));
  await harness.patch(by, id, { description: 'for the accounts' });
  release.resolve();
  await eventually(async () => expect(await failuresOf(by, id)).toHaveLength(1));
  const [failed] = await failuresOf(by, id);
  await eventually(async () => {
    const { rows } = await harness.db.read((tx) =>
      sql<{ retry_at: Date }>`select retry_at from webhooks where id = ${id}`.execute(tx),
    );
    expect(rows).toEqual([{ retry_at: new Date(failed?.next_try_at ?? '') }]);
  });
  expect(Date.parse(failed?.next_try_at ?? '') - Date.parse(failed?.at ?? '')).toBeGreaterThan(599_000);
});
