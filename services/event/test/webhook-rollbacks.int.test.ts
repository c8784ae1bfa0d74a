import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  type Caller,
  deleteWebhook,
  lineageKeyOf,
  lineage as lineageSchema,
  listWebhooks,
  rotateWebhook,
  takeoverWebhook,
} from '@cardinal/contracts';
import { runStatements } from '@cardinal/servers';
import { aCaller, aCommand, eventually, testBus } from '@cardinal/testkit';
import { breakConnections } from '@cardinal/testkit/instance';
import { Webhook } from 'standardwebhooks';
import { v7 } from 'uuid';
import { expect, it, onTestFinished } from 'vitest';
import { resealSecrets } from '../src/webhooks/reseal.ts';
import { startReceiver } from './support/receiver.ts';
import { startHarness } from './support/webhook-harness.ts';

const harness = await startHarness();
const { bus, urls } = harness;

const run = (...statements: string[]) => runStatements(urls.event, statements);
const request = async (by: Caller, webhook_id: string) => {
  const { version } = await harness.read(by, webhook_id);
  return { ...by, webhook_id, command: aCommand(), if_match: [version] };
};
const remove = async (by: Caller, id: string) => bus.call(deleteWebhook, await request(by, id));

/** Snapshots the webhooks of the database. @returns a function that rolls back to the snapshot, which the next start detects */
const snapshot = async (own = harness) => {
  const { register } = await testBus(own.nats.url, 'event');
  await runStatements(own.urls.event, ['drop table if exists kept', 'create table kept as select * from webhooks']);
  return async () => {
    await own.instance.stop();
    await runStatements(own.urls.event, ['delete from webhooks', 'insert into webhooks select * from kept']);
    const key = lineageKeyOf('event');
    const { value, revision } = await register.read(key);
    const { witnesses, ...known } = lineageSchema.parse(value);
    if (!witnesses.event) throw new Error('the database was met');
    const event = { ...witnesses.event, tick: witnesses.event.tick + 100 };
    await register.write(key, { ...known, witnesses: { event } }, revision);
  };
};
const start = async (own = harness) => {
  const started = await own.start();
  onTestFinished(() => started.stop());
};

it('revocations survive a rollback of the database', async () => {
  const by = aCaller();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const make = () => harness.hook(by, receiver.url);
  const deleted = await make();
  const rotated = await make();
  const paused = await make();
  const kept = await make();
  const refused = await make();
  const narrowed = await make();
  const shared = await harness.hook(by, receiver.url, { private_boards: true });
  const rollBack = await snapshot();
  await remove(by, deleted.id);
  const { secret } = (await bus.call(rotateWebhook, await request(by, rotated.id))).resource;
  await harness.patch(by, paused.id, { state: 'paused' });
  await harness.patch(by, narrowed.id, { types: ['board.deleted'], changed: ['visibility'] });
  await harness.patch(by, shared.id, { private_boards: false });
  // The revocation is recorded, and then the transaction fails.
  await run(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'the test says so'; end $$`,
    `create trigger refuse before delete on webhooks for each row when (old.id = '${refused.id}') execute function refuse()`,
  );
  await expect(remove(by, refused.id)).rejects.toMatchObject({ code: 'internal' });
  expect(await harness.read(by, refused.id)).toMatchObject({ state: 'active' });
  await run('drop trigger refuse on webhooks');

  await rollBack();
  await start();
  await expect(harness.read(by, deleted.id)).rejects.toMatchObject({ code: 'not_found' });
  expect(await harness.read(by, paused.id)).toMatchObject({ state: 'paused', version: paused.version + 1 });
  expect(await harness.read(by, narrowed.id)).toMatchObject({ types: ['board.deleted'], changed: ['visibility'] });
  expect(await harness.read(by, shared.id)).toMatchObject({ private_boards: false });
  expect(await harness.read(by, kept.id)).toMatchObject({ state: 'active', version: kept.version });
  const { items } = await bus.call(listWebhooks, { ...by, page: { limit: 10 } });
  // A recorded revocation is applied even if its transaction failed (ADR 72).
  expect(items.map(({ id }) => id)).toEqual([rotated.id, paused.id, kept.id, narrowed.id, shared.id]);
  expect(items.at(-2)?.types).toEqual(['board.deleted']);
  await harness.log(by.workspace_id, [{}]);
  // The rotated one, the kept one, and the one without private boards.
  await eventually(() => expect(receiver.received).toHaveLength(3));
  const verified = receiver.received.filter(({ body, headers }) => {
    try {
      new Webhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  });
  expect(verified).toHaveLength(1);
});

it('a take-over survives a rollback: the new creator keeps the webhook and its new secret', async () => {
  const own = await startHarness();
  const [by, receiver, board] = [aCaller(), await startReceiver(), v7()];
  const other = aCaller(by.workspace_id);
  own.show(board, by);
  const { id: webhook_id } = await own.hook(by, receiver.url);
  const rollBack = await snapshot(own);
  const take = { ...other, webhook_id, command: aCommand(), if_match: [1] };
  const { secret } = (await own.bus.call(takeoverWebhook, take)).resource;
  await rollBack();
  await start(own);
  expect(await own.read(by, webhook_id)).toMatchObject({
    created_by: other.user_id,
    url: new URL('/', receiver.url).href,
  });
  await own.log(by.workspace_id, [{ board, title: 'seen by the former one' }, { title: 'seen by all' }]);
  await eventually(() => expect(receiver.received).toHaveLength(1));
  const [sent] = receiver.received;
  expect(sent?.event.data?.title).toBe('seen by all');
  if (sent) new Webhook(secret).verify(sent.body, sent.headers);
});

it('the next instance applies the revocations if one was killed during the comparison', async () => {
  const own = await startHarness();
  const [by, receiver] = [aCaller(), await startReceiver()];
  const made = [await own.hook(by, receiver.url), await own.hook(by, receiver.url), await own.hook(by, receiver.url)];
  const rollBack = await snapshot(own);
  for (const { id: webhook_id } of made) {
    await own.bus.call(deleteWebhook, { ...by, webhook_id, command: aCommand(), if_match: [1] });
  }
  await rollBack();
  await own.logQuietly(by.workspace_id, [{}]);
  const program = fileURLToPath(new URL('./support/webhook-process.ts', import.meta.url));
  const killed = fork(program, [own.urls.event, own.nats.url, 'amid-comparison'], { execArgv: [] });
  expect(await once(killed, 'close')).toEqual([null, 'SIGKILL']);
  expect(await runStatements(own.urls.event, ['select from webhooks'])).toHaveLength(2);
  await start(own);
  expect((await own.bus.call(listWebhooks, { ...by, page: { limit: 10 } })).items).toEqual([]);
  expect(receiver.received).toEqual([]);
});

it('an event waits for its next attempt, its row is lost with a rollback, and it is sent all the same', async () => {
  const own = await startHarness();
  const answers = new Map<string, (status: number) => void>();
  const receiver = await startReceiver(({ event }, response) => {
    answers.set(event.data?.title ?? '', (status) => response.writeHead(status).end());
  });
  const { by, id, log } = await own.hooked(receiver);
  const titles = () => receiver.received.map(({ event }) => event.data?.title);
  const inDatabase = (...statements: string[]) => runStatements(own.urls.event, statements);
  await log([
    { card: v7(), title: 'refused' },
    { card: v7(), title: 'held' },
  ]);
  await eventually(() => expect(titles().sort()).toEqual(['held', 'refused']));
  await inDatabase('create table kept as select * from webhooks');
  answers.get('refused')?.(500);
  await eventually(async () => expect(await inDatabase('select from waiting_deliveries')).toHaveLength(1));

  await inDatabase('delete from webhooks', 'insert into webhooks select * from kept', 'delete from waiting_deliveries');
  await inDatabase('update lineage set tick = 0');
  await breakConnections(own.instance.context.db);
  answers.get('held')?.(200);
  receiver.answer = (_, response) => response.end();
  await own.pass(1_000, () => expect(titles().filter((title) => title === 'refused')).toHaveLength(2));
  await own.pass(1_000, async () => expect((await own.deliveries(by, id))[0]?.error).toBeNull());
});

it('a webhook whose secret no key opens is `failing` with the reason `secret`, until a start with the right key', async () => {
  const own = await startHarness();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const { by, id, log } = await own.hooked(receiver);
  await own.instance.stop();
  const wrong = await own.start({ WEBHOOK_KEY: 'w'.repeat(32) });
  await expect(resealSecrets(wrong.context)).rejects.toThrow('neither current nor accepted');
  expect(await own.read(by, id)).toMatchObject({ state: 'failing', failing_reason: 'secret' });
  await log([{}, {}]);
  await wrong.stop();
  const right = await own.start();
  await resealSecrets(right.context);
  expect(await own.read(by, id)).toMatchObject({ state: 'active', failing_reason: null });
  await eventually(() => expect(receiver.received).toHaveLength(2));
});

it('a webhook whose secret no key opens continues after a rotation', async () => {
  const own = await startHarness();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const { by, id, log } = await own.hooked(receiver);
  await own.instance.stop();
  const wrong = await own.start({ WEBHOOK_KEY: 'w'.repeat(32) });
  await expect(resealSecrets(wrong.context)).rejects.toThrow('neither current nor accepted');
  await log([{}]);
  const { version } = await own.read(by, id);
  const asked = { ...by, webhook_id: id, command: aCommand(), if_match: [version] };
  const { resource } = await own.bus.call(rotateWebhook, asked);
  expect(resource).toMatchObject({ state: 'active', failing_reason: null, former_secret_until: null });
  await eventually(() => expect(receiver.received).toHaveLength(1));
  const [first] = receiver.received;
  if (first) new Webhook(resource.secret).verify(first.body, first.headers);
});
