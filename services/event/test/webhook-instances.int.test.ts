import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runStatements } from '@cardinal/servers';
import { aCaller, eventually } from '@cardinal/testkit';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { startReceiver, status } from './support/receiver.ts';
import { startHarness } from './support/webhook-harness.ts';

const program = fileURLToPath(new URL('support/webhook-process.ts', import.meta.url));
const onCards = (count: number) => Array.from({ length: count }, (_, at) => ({ card: v7(), title: `${at}` }));

it('two instances share webhooks, and send each event once unless a session breaks off', async () => {
  const harness = await startHarness({}, { atOnce: 6 });
  await harness.start();
  const receivers = await Promise.all(Array.from({ length: 12 }, () => startReceiver()));
  const callers = receivers.map(() => aCaller());
  const hooks = [];
  for (const [at, by] of callers.entries()) hooks.push(await harness.hook(by, receivers[at]?.url ?? ''));
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(callers.map(({ workspace_id }) => harness.log(workspace_id, onCards(30))));
  }
  for (const [at, { received }] of receivers.entries()) {
    const ids = () => received.map(({ headers }) => headers['webhook-id']);
    await eventually(() => expect(new Set(ids()).size).toBe(150));
    const failures = await harness.failuresOf(callers[at] ?? aCaller(), hooks[at]?.id ?? '');
    expect(failures).toEqual([]);
    // On a busy machine a session may break off. It logs that, perhaps after the next session began.
    if (received.length > 150) await eventually(() => expect(harness.brokenOff).not.toEqual([]));
  }
});

it('a webhook moves from an instance that stops to another one, and each event is sent once', async () => {
  const harness = await startHarness();
  const receiver = await startReceiver((_, response) => setTimeout(() => response.end(), 20));
  const by = aCaller();
  await harness.hook(by, receiver.url);
  await harness.log(by.workspace_id, onCards(600));
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(50), { everyMs: 2 });
  const second = await harness.start();
  await harness.instance.stop();
  expect(receiver.received.length).toBeLessThan(600);
  await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(600));
  expect(receiver.received.map(({ event }) => event.seq).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 600 }, (_, at) => at + 1),
  );
  await second.stop();
});

it('an attempt that an instance gave up when it stopped is repeated, without any new event', async () => {
  const harness = await startHarness({}, { timeoutMs: 600_000 });
  const receiver = await startReceiver(() => {});
  const by = aCaller();
  await harness.hook(by, receiver.url);
  await harness.log(by.workspace_id, [{ title: 'slow' }]);
  // An attempt that hangs for a second is stored as a waiting lane.
  await eventually(async () => {
    const { rows } = await harness.db.read((tx) => sql`select from waiting_deliveries`.execute(tx));
    expect(rows).toHaveLength(1);
  });
  await harness.instance.stop();
  receiver.answer = status(200);
  await harness.start();
  await eventually(() => expect(receiver.received).toHaveLength(2));
});

it('an instance keeps the lease of a webhook while the card service does not answer', async () => {
  const harness = await startHarness({}, { timeoutMs: 4_000 });
  const receiver = await startReceiver(() => {});
  const by = aCaller();
  await harness.hook(by, receiver.url);
  await harness.log(by.workspace_id, [{}]);
  await eventually(() => expect(receiver.received).toHaveLength(1));
  const silence = Promise.withResolvers<void>();
  harness.silence(silence.promise);
  await harness.log(by.workspace_id, [{ board: v7() }]);
  const leaseOf = async () => {
    const { rows } = await harness.db.read((tx) =>
      sql<{ lease_id: string; leased_until: Date }>`select lease_id, leased_until from webhooks`.execute(tx),
    );
    return rows[0] as (typeof rows)[0];
  };
  const before = await leaseOf();
  // Shorter than the timeout of the question.
  const withinMs = { timeoutMs: 8_000 };
  await eventually(async () => {
    const { lease_id, leased_until } = await leaseOf();
    expect(lease_id).toBe(before.lease_id);
    expect(leased_until.getTime() - before.leased_until.getTime()).toBeGreaterThan(3_000);
  }, withinMs);
  silence.resolve();
});

it('an instance whose clock is ahead takes no valid lease of another one', async () => {
  const harness = await startHarness();
  let [open, widest] = [0, 0];
  const receiver = await startReceiver((_, response) => {
    open += 1;
    widest = Math.max(widest, open);
    setTimeout(() => {
      open -= 1;
      response.end();
    }, 20);
  });
  const by = aCaller();
  const card = v7();
  await harness.hook(by, receiver.url);
  await harness.log(
    by.workspace_id,
    Array.from({ length: 100 }, () => ({ card })),
  );
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(5), { everyMs: 2 });
  harness.clock.ahead = 120_000;
  await harness.start();
  await eventually(() => expect(receiver.received).toHaveLength(100));
  // Events of one card are sent one at a time. Two senders would overlap.
  expect(widest).toBe(1);
});

it('an instance whose clock is ahead makes the next attempt, and so does another one, when it is due', async () => {
  const harness = await startHarness();
  const receiver = await startReceiver(status(500));
  const by = aCaller();
  await harness.hook(by, receiver.url);
  harness.clock.wrong = 500_000;
  await harness.log(by.workspace_id, [{}]);
  await eventually(() => expect(receiver.received).toHaveLength(1));
  await eventually(async () =>
    expect(await runStatements(harness.urls.event, ['select from webhooks where lease_id is null'])).toHaveLength(1),
  );
  harness.clock.wrong = 0;
  harness.clock.ahead = 10_000;
  await eventually(() => expect(receiver.received).toHaveLength(2));
});

it('an instance that is killed during deliveries loses no event, and cards stay in order', async () => {
  const harness = await startHarness();
  await harness.instance.stop();
  const cards = Array.from({ length: 20 }, () => v7());
  const receiver = await startReceiver((_, response) => setTimeout(() => response.end(), 10));
  const setUp = await harness.start();
  const by = aCaller();
  const { id, secret } = await harness.hook(by, receiver.url);
  await harness.patch(by, id, { state: 'paused' });
  await harness.log(
    by.workspace_id,
    Array.from({ length: 1_000 }, (_, at) => ({ card: cards[at % 20] as string })),
  );
  await harness.patch(by, id, { state: 'active' });
  await setUp.stop();
  const { urls, nats } = harness;
  const before = receiver.received.length;
  const child = fork(program, [urls.event, nats.url], { stdio: 'inherit' });
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(before + 200), { everyMs: 5 });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(receiver.received.length).toBeLessThan(1_000);
  await harness.endLeases();
  const last = await harness.start();
  const seqs = () => new Set(receiver.received.map(({ event }) => event.seq));
  await eventually(() => expect(seqs().size).toBe(1_000));
  // The reference library verifies every request of every instance, and none with a changed byte.
  const reference = new Webhook(secret);
  for (const { body, headers, event } of receiver.received) {
    expect(reference.verify(body, headers)).toEqual(event);
    expect(() => reference.verify(body.replace('"seq":', '"sEq":'), headers)).toThrow('No matching signature');
  }
  for (const card of cards) {
    const all = receiver.received.filter(({ event }) => event.card?.id === card).map(({ event }) => event.seq);
    const first = all.filter((seq, at) => all.indexOf(seq) === at);
    expect(first).toEqual(first.toSorted((a, b) => a - b));
  }
  await last.stop();
});

it('a session that cannot flush before its lease expires releases its webhook, and the attempt is repeated', async () => {
  const harness = await startHarness({}, { timeoutMs: 1_000 });
  const release = Promise.withResolvers<void>();
  const receiver = await startReceiver((_, response) => void release.promise.then(() => response.end()));
  const { by, id, log } = await harness.hooked(receiver);
  const rename = (from: string, to: string) =>
    harness.db.statement((tx) => sql`alter table ${sql.table(from)} rename to ${sql.ref(to)}`.execute(tx));
  await log([{}]);
  await eventually(() => expect(receiver.received).toHaveLength(1));
  await rename('deliveries', 'elsewhere');
  release.resolve();
  await eventually(async () => {
    const { rows } = await harness.db.read((tx) => sql`select lease_id from webhooks where id = ${id}`.execute(tx));
    expect(rows).toEqual([{ lease_id: null }]);
  });
  await rename('elsewhere', 'deliveries');
  await harness.pass(2_000, () => expect(receiver.received.length).toBeGreaterThan(1));
  await eventually(async () =>
    expect((await harness.deliveries(by, id)).some(({ status }) => status === 200)).toBe(true),
  );
});
