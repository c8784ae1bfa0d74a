import { aCaller, eventually } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { webhookGauges } from '../src/webhooks/gauges.ts';
import { type Receiver, startReceiver, status } from './support/receiver.ts';
import { startHarness } from './support/webhook-harness.ts';

const harness = await startHarness();
const { hooked, failuresOf, pass } = harness;

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);
const titles = (count: number) => numbers(count).map((title) => ({ title }));
const titlesOf = ({ received }: Receiver) => received.map(({ event }) => event.data?.title);

it('a paused webhook gets nothing, and the events of the pause once it is enabled', async () => {
  const receiver = await startReceiver();
  const { by, id, log } = await hooked(receiver);
  await harness.patch(by, id, { state: 'paused' });
  await log(titles(3));
  const other = await startReceiver();
  const { log: logOther } = await hooked(other);
  await logOther([{}]);
  await eventually(() => expect(other.received).toHaveLength(1));
  expect(receiver.received).toEqual([]);
  await harness.patch(by, id, { state: 'active' });
  await eventually(() => expect(titlesOf(receiver)).toEqual(numbers(3)));
});

it('events that are no longer kept are skipped, and the list of deliveries names them', async () => {
  const receiver = await startReceiver();
  const { by, id, log } = await hooked(receiver);
  await harness.patch(by, id, { state: 'paused' });
  await log(titles(5));
  await harness.db.statement((tx) =>
    sql`update days set first_seq = 4 where workspace_id = ${by.workspace_id}`.execute(tx),
  );
  await harness.patch(by, id, { state: 'active' });
  await eventually(() => expect(titlesOf(receiver)).toEqual(['3', '4']));
  await eventually(async () =>
    expect(await failuresOf(by, id)).toMatchObject([
      { event: null, attempt: null, error: 'events 1 to 3 were not sent: they are not kept any more' },
    ]),
  );
});

it('an event is not retried once its creator does not see it any more, and the list of deliveries has the error', async () => {
  // The pause is long, so that no retry comes before the board is hidden on a busy machine.
  const receiver = await startReceiver(status(500, { 'retry-after': '600' }));
  const { by, id, log } = await hooked(receiver);
  const board = v7();
  await log([{ board, title: 'secret' }]);
  await eventually(async () => expect(await failuresOf(by, id)).toHaveLength(1));
  harness.hide(board);
  await pass(100_000, async () =>
    expect((await failuresOf(by, id))[0]).toMatchObject({ error: 'not sent: it is not for this webhook any more' }),
  );
  expect(receiver.received).toHaveLength(1);
});

it('an event that is pending behind a slow one of its card is not sent once its creator does not see it any more', async () => {
  const release = Promise.withResolvers<void>();
  const receiver = await startReceiver((_, response) => void release.promise.then(() => response.end()));
  const { by, id, log } = await hooked(receiver);
  const [board, card] = [v7(), v7()];
  await log(['seen', 'secret', 'secret too'].map((title) => ({ board, card, title })));
  await eventually(() => expect(receiver.received).toHaveLength(1));
  harness.hide(board);
  harness.clock.ahead += 6_000;
  release.resolve();
  await eventually(async () => {
    const failures = await failuresOf(by, id);
    expect(failures.map(({ event, error }) => [event?.seq, error])).toEqual([
      [3, 'not sent: it is not for this webhook any more'],
      [2, 'not sent: it is not for this webhook any more'],
    ]);
  });
  expect(titlesOf(receiver)).toEqual(['seen']);
});

it('the age of the oldest pending event is measured from when it happened', async () => {
  const own = await startHarness();
  const by = aCaller();
  const { id } = await own.hook(by, 'https://receiver.invalid/');
  const since = async () => {
    const { rows } = await own.db.read((tx) =>
      sql<{ seconds: number }>`select ${webhookGauges.cardinal_webhook_oldest_seconds.value} as seconds`.execute(tx),
    );
    return Number(rows[0]?.seconds);
  };
  // It has been leased for two days, by a session with so much to send that it never ended.
  await own.db.statement((tx) =>
    sql`
      update webhooks set leased_until = now() + interval '1 hour', taken_at = now() - interval '2 days'
      where id = ${id}`.execute(tx),
  );
  expect(await since()).toBe(0);
  await own.logQuietly(by.workspace_id, [{}, {}]);
  expect(await since()).toBeGreaterThan(0);
  expect(await since()).toBeLessThan(3_600);
});
