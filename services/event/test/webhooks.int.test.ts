import {
  type Caller,
  createWebhook,
  listDeliveries,
  listWebhooks,
  pingWebhook,
  replayWebhook,
  rotateWebhook,
} from '@cardinal/contracts';
import { aCaller, aCommand, eventually } from '@cardinal/testkit';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { resealSecrets } from '../src/webhooks/reseal.ts';
import { createVault } from '../src/webhooks/secrets.ts';
import { type Received, startReceiver, status } from './support/receiver.ts';
import { startHarness } from './support/webhook-harness.ts';

const harness = await startHarness();
const { bus, db } = harness;

const rotate = async (by: Caller, webhook_id: string) => {
  const { version } = await harness.read(by, webhook_id);
  return (await bus.call(rotateWebhook, { ...by, webhook_id, command: aCommand(), if_match: [version] })).resource;
};
const verifies = (secret: string, { body, headers }: Received): boolean => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};

describe('the secret of a webhook', () => {
  it('is in the reply to the create and to its repetition, and in no other reply', async () => {
    const by = aCaller();
    const request = { ...by, command: aCommand(), body: { url: 'https://receiver.invalid/' } };
    const first = await bus.call(createWebhook, request);
    const second = await bus.call(createWebhook, request);
    expect(first.resource.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(second).toEqual({ ...first, replayed: true });
    const { secret: _, ...shown } = first.resource;
    expect(await harness.read(by, shown.id)).toEqual(shown);
    expect((await bus.call(listWebhooks, { ...by, page: { limit: 10 } })).items).toEqual([shown]);
  });

  it('is not in clear text in the database', async () => {
    const by = aCaller();
    const { id, secret } = await harness.hook(by, 'https://receiver.invalid/');
    const { secret: next } = await rotate(by, id);
    const { rows } = await db.read((tx) =>
      sql<{ text: string }>`
        select row_to_json(webhooks)::text as text from webhooks union all
        select row_to_json(commands)::text from commands`.execute(tx),
    );
    const texts = rows.map(({ text }) => text).join();
    expect(texts).toContain(id);
    for (const one of [secret, next]) expect(texts).not.toContain(one.slice('whsec_'.length));
    expect(texts).not.toContain('whsec_');
  });

  it('signs for a day beside its successor, and no longer after a second rotation', async () => {
    const [by, receiver] = [aCaller(), await startReceiver()];
    const { id, secret: first } = await harness.hook(by, receiver.url);
    const { secret: second, former_secret_until } = await rotate(by, id);
    expect(Date.parse(former_secret_until ?? '') - Date.now()).toBeGreaterThan(86_000_000);
    const received = async (count: number) => {
      await harness.log(by.workspace_id, [{}]);
      await eventually(() => expect(receiver.received).toHaveLength(count));
      return receiver.received.at(-1) as Received;
    };
    const sent = await received(1);
    expect([first, second].map((secret) => verifies(secret, sent))).toEqual([true, true]);
    const { secret: third } = await rotate(by, id);
    const later = await received(2);
    expect([first, second, third].map((secret) => verifies(secret, later))).toEqual([false, true, true]);
  });

  it('is re-encrypted when the key is replaced, and still signs', async () => {
    const own = await startHarness();
    const [by, receiver] = [aCaller(), await startReceiver()];
    const { id, secret } = await own.hook(by, receiver.url);
    await own.instance.stop();
    const [former, next] = ['k'.repeat(32), 'n'.repeat(32)];
    await resealSecrets({ db: own.db, vault: createVault(next, former), now: () => new Date() });
    await own.start({ WEBHOOK_KEY: next });
    await own.log(by.workspace_id, [{}]);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    expect(verifies(secret, receiver.received[0] as Received)).toBe(true);
    expect((await own.read(by, id)).version).toBe(1);
  });

  it('is re-encrypted though the key of another secret is lost, and the reseal reports that', async () => {
    const own = await startHarness();
    const [lost, kept] = [
      await own.hook(aCaller(), 'https://a.invalid'),
      await own.hook(aCaller(), 'https://b.invalid'),
    ];
    const sealed = createVault('l'.repeat(32)).seal(lost.secret, lost.id);
    await own.db.statement((tx) => sql`update webhooks set secret = ${sealed} where id = ${lost.id}`.execute(tx));
    const vault = createVault('n'.repeat(32), 'k'.repeat(32));
    await expect(resealSecrets({ db: own.db, vault, now: () => new Date() })).rejects.toThrow('neither current nor');
    const { rows } = await own.db.read((tx) =>
      sql<{ id: string }>`select id from webhooks where starts_with(secret, ${vault.prefix})`.execute(tx),
    );
    expect(rows).toEqual([{ id: kept.id }]);
  });
});

it('a ping is sent once, whatever the state, and is in the list of deliveries', async () => {
  const [by, receiver] = [aCaller(), await startReceiver()];
  const { id, secret } = await harness.hook(by, receiver.url);
  await harness.patch(by, id, { state: 'paused' });
  const request = { ...by, webhook_id: id, command: aCommand() };
  const { resource } = await bus.call(pingWebhook, request);
  expect(await bus.call(pingWebhook, request)).toEqual({ resource, replayed: true });
  await eventually(async () => {
    const [delivery, ...others] = await harness.deliveries(by, id);
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ event: { id: resource.event_id, type: 'ping', seq: null }, status: 200 });
  });
  expect(receiver.received).toHaveLength(1);
  const [sent] = receiver.received as [Received];
  expect(verifies(secret, sent)).toBe(true);
  expect(sent.event).toMatchObject({ id: resource.event_id, type: 'ping', data: { id, state: 'paused' } });
});

it('a ping to a receiver that hangs does not delay the stop of an instance, and the next instance repeats it', async () => {
  const own = await startHarness({}, { timeoutMs: 600_000 });
  const [by, receiver] = [aCaller(), await startReceiver(() => {})];
  const { id } = await own.hook(by, receiver.url);
  const { resource } = await own.bus.call(pingWebhook, { ...by, webhook_id: id, command: aCommand() });
  await eventually(() => expect(receiver.received).toHaveLength(1));
  await own.instance.stop();
  receiver.answer = status(200);
  await own.start();
  await eventually(async () => expect(await own.deliveries(by, id)).toMatchObject([{ status: 200 }]));
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill(resource.event_id));
});

describe('a replay', () => {
  it('sends its range again before new events, and ends', async () => {
    const [by, receiver] = [aCaller(), await startReceiver()];
    const { id } = await harness.hook(by, receiver.url);
    await harness.log(
      by.workspace_id,
      ['a', 'b', 'c', 'd'].map((title) => ({ title })),
    );
    await eventually(() => expect(receiver.received).toHaveLength(4));
    const { version } = await harness.patch(by, id, { state: 'paused' });
    await harness.log(by.workspace_id, [{ title: 'e' }]);
    const replay = { ...by, webhook_id: id, command: aCommand(), if_match: [version], body: { after: 1, until: 3 } };
    expect((await bus.call(replayWebhook, replay)).resource.replay).toEqual({ after: 1, until: 3 });
    await harness.patch(by, id, { state: 'active' });
    await eventually(() => expect(receiver.received).toHaveLength(7));
    expect(receiver.received.slice(4).map(({ event }) => event.data?.title)).toEqual(['b', 'c', 'e']);
    const ids = (from: number, to: number) => receiver.received.slice(from, to).map(({ event }) => event.id);
    expect(ids(4, 6)).toEqual(ids(1, 3));
    const marks = receiver.received.map(({ headers }) => headers['webhook-replay']);
    expect(marks).toEqual([...Array(4).fill(undefined), 'true', 'true', undefined]);
    await eventually(async () => expect((await harness.read(by, id)).replay).toBeNull());
  });

  it('sends no events that the creator does not see any more', async () => {
    const [by, receiver, board] = [aCaller(), await startReceiver(), v7()];
    const { id } = await harness.hook(by, receiver.url);
    await harness.log(by.workspace_id, [{ board, title: 'seen then' }, { title: 'seen by all' }]);
    await eventually(() => expect(receiver.received).toHaveLength(2));
    harness.hide(board);
    const { version } = await harness.read(by, id);
    await bus.call(replayWebhook, {
      ...by,
      webhook_id: id,
      command: aCommand(),
      if_match: [version],
      body: { after: 0 },
    });
    await eventually(async () => expect((await harness.read(by, id)).replay).toBeNull());
    expect(receiver.received.slice(2).map(({ event }) => event.data?.title)).toEqual(['seen by all']);
  });

  it('of an empty range changes nothing', async () => {
    const by = aCaller();
    const { id, version } = await harness.hook(by, 'https://receiver.invalid/');
    const replay = { ...by, webhook_id: id, command: aCommand(), if_match: [version], body: { after: 0 } };
    expect((await bus.call(replayWebhook, replay)).resource).toMatchObject({ version, replay: null });
  });
});

it('the types, the board and the sight of the creator select the events', async () => {
  const [by, receiver] = [aCaller(), await startReceiver()];
  const [board, other, secret] = [v7(), v7(), v7()];
  await harness.hook(by, receiver.url, { types: ['card.*'], board_id: board });
  harness.hide(secret);
  await harness.log(by.workspace_id, [
    { type: 'comment.created', board, title: 'no card' },
    { board: other, title: 'another board' },
    { type: 'card.moved', board, other: secret, title: 'from where he sees nothing' },
    { board, title: 'wanted' },
  ]);
  await eventually(() => expect(receiver.received).toHaveLength(2));
  const [moved, wanted] = receiver.received.map(
    ({ event }) => event as unknown as { data: unknown; previous: unknown },
  );
  expect(moved).toMatchObject({ data: { title: 'from where he sees nothing' }, previous: {} });
  expect(JSON.stringify(moved)).not.toContain(secret);
  expect(wanted).toMatchObject({ data: { title: 'wanted' } });
  harness.hide(board);
  await harness.log(by.workspace_id, [
    { board, title: 'not seen any more' },
    { type: 'feed.reset', title: 'reset' },
  ]);
  await eventually(() => expect(receiver.received.at(-1)?.event.data?.title).toBe('reset'));
  expect(receiver.received).toHaveLength(3);
});

describe('a webhook', () => {
  const titlesOf = ({ received }: { received: Received[] }) => received.map(({ event }) => event.data?.title);
  const hooked = async (more: object) => {
    const [by, receiver] = [aCaller(), await startReceiver()];
    const { id } = await harness.hook(by, receiver.url, more);
    return { by, receiver, id };
  };

  it('with fields gets the events that change one of them, and no creations and deletions', async () => {
    const { by, receiver, id } = await hooked({ changed: ['priority', 'column_id', 'priority'] });
    expect((await harness.read(by, id)).changed).toEqual(['priority', 'column_id']);
    await harness.log(by.workspace_id, [
      { type: 'card.created', title: 'new' },
      { changed: ['title'], title: 'title' },
      { changed: ['title', 'priority'], title: 'priority' },
      { type: 'card.moved', changed: ['column_id', 'position'], title: 'moved' },
      { type: 'card.deleted', title: 'gone' },
      { type: 'feed.reset', title: 'reset' },
    ]);
    await eventually(() => expect(titlesOf(receiver).toSorted()).toEqual(['moved', 'priority', 'reset']));
    await harness.patch(by, id, { changed: [] });
    await harness.log(by.workspace_id, [{ type: 'card.created', title: 'all again' }]);
    await eventually(() => expect(titlesOf(receiver).at(-1)).toBe('all again'));
    expect(receiver.received).toHaveLength(4);
  });

  it('gets events of private boards only where it says so, or names the board, and what leaves its sight', async () => {
    const [by, shared, own, another] = [aCaller(), v7(), v7(), v7()];
    for (const board of [own, another]) harness.show(board, by);
    const make = async (more: object) => {
      const receiver = await startReceiver();
      const { private_boards } = await harness.hook(by, receiver.url, more);
      return { receiver, private_boards };
    };
    const [plain, whole, named] = [await make({}), await make({ private_boards: true }), await make({ board_id: own })];
    expect([plain, whole, named].map(({ private_boards }) => private_boards)).toEqual([false, true, false]);
    await harness.log(by.workspace_id, [
      { board: shared, title: 'shared' },
      { board: own, title: 'own' },
      { board: another, title: 'another' },
      { type: 'card.moved', board: another, other: shared, title: 'moved into private' },
      { type: 'card.moved', board: shared, other: own, title: 'moved out of private' },
      { type: 'member.removed', board: another, card: by.user_id, title: 'removed' },
      {
        type: 'board.updated',
        board: another,
        changed: ['visibility'],
        previous: { visibility: 'workspace' },
        title: 'made private',
      },
      { title: 'end' },
    ]);
    await eventually(() => {
      const counts = [plain, whole, named].map(({ receiver }) => receiver.received.length);
      expect(counts).toEqual([5, 8, 2]);
    });
    const events = plain.receiver.received.map(({ event }) => event);
    const [departures, shown] = [
      events.filter(({ data }) => data === null),
      events.filter(({ data }) => data !== null),
    ];
    expect(shown.map(({ data }) => data?.title).toSorted()).toEqual(['end', 'moved out of private', 'shared']);
    expect(departures.toSorted((a, b) => (a.type < b.type ? -1 : 1))).toMatchObject([
      { type: 'board.updated', board_id: another, changed: [], previous: {} },
      { type: 'card.moved', board_id: shared, changed: [], previous: {} },
    ]);
    expect(JSON.stringify(events)).not.toContain(own);
    expect(titlesOf(named.receiver).toSorted()).toEqual(['moved out of private', 'own']);
  });

  it('asks the card service no more often for its filters', async () => {
    const { by, receiver, id } = await hooked({ changed: ['title'], private_boards: false });
    const before = harness.questions.count;
    await harness.log(by.workspace_id, [{ board: v7(), changed: ['title'] }]);
    await eventually(async () => expect(await harness.deliveries(by, id)).toHaveLength(1));
    expect([receiver.received.length, harness.questions.count - before]).toEqual([1, 1]);
  });
});

it('the list of deliveries keeps thirty days', async () => {
  const own = await startHarness();
  const [by, receiver] = [aCaller(), await startReceiver()];
  const { id } = await own.hook(by, receiver.url);
  await own.log(by.workspace_id, [{}, {}, {}]);
  await eventually(async () => expect(await own.deliveries(by, id)).toHaveLength(3));
  const [latest, , oldest] = await own.deliveries(by, id);
  const ago = (delivery: string | undefined, days: number) =>
    own.db.statement((tx) =>
      sql`update deliveries set at = now() - ${days} * interval '1 day' where id = ${delivery}`.execute(tx),
    );
  await ago(oldest?.id, 30.1);
  await ago(latest?.id, 29.9);
  for (const { purge, hours } of own.instance.retention) {
    expect(await purge(own.db, new Date(Date.now() - hours * 3_600_000))).toBe(1);
  }
  expect((await own.deliveries(by, id)).map(({ id: kept }) => kept)).not.toContain(oldest?.id);
  expect(await own.deliveries(by, id)).toHaveLength(2);
});

it('the list of deliveries is paged, latest first', async () => {
  const [by, receiver] = [aCaller(), await startReceiver()];
  const { id } = await harness.hook(by, receiver.url);
  await harness.log(
    by.workspace_id,
    Array.from({ length: 25 }, () => ({})),
  );
  await eventually(async () => expect(await harness.deliveries(by, id)).toHaveLength(25));
  const seqs: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = { limit: 10, ...(cursor && { cursor }) };
    const { items, next_cursor } = await bus.call(listDeliveries, { ...by, webhook_id: id, page });
    seqs.push(...items.map(({ event }) => event?.seq));
    cursor = next_cursor ?? undefined;
  } while (cursor);
  expect(seqs).toEqual(Array.from({ length: 25 }, (_, at) => 25 - at));
});
