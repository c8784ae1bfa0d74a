import { eventually } from '@cardinal/testkit';
import { Webhook } from 'standardwebhooks';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { startReceiver, status } from './support/receiver.ts';
import { aCaller, startHarness } from './support/webhook-harness.ts';

const harness = await startHarness();
const titles = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ title: `${at}`, ...more }));
const titlesOf = ({ received }: { received: { event: { data: { title?: string } | null } }[] }) =>
  received.map(({ event }) => event.data?.title);

it('sends what happens from now on, signed as Standard Webhooks say', async () => {
  const [by, receiver] = [aCaller(), await startReceiver()];
  await harness.log(by.workspace_id, [{ title: 'before' }]);
  const { id, secret } = await harness.hook(by, receiver.url);
  await harness.log(by.workspace_id, [{ title: 'after' }]);
  await eventually(() => expect(titlesOf(receiver)).toEqual(['after']));
  const [{ headers, body, event }] = receiver.received as [(typeof receiver.received)[0]];
  expect(new Webhook(secret).verify(body, headers)).toEqual(event);
  expect(headers['webhook-id']).toBe(event.id);
  expect(event.seq).toBe(2);
  await eventually(async () => {
    const [delivery] = await harness.deliveries(by, id);
    expect(delivery).toMatchObject({ event: { id: event.id, seq: 2 }, attempt: 1, status: 200, error: null });
  });
});

it('sends the events of a card in order, and those of others while one fails', async () => {
  const by = aCaller();
  const [bad, good] = [v7(), v7()];
  const receiver = await startReceiver(({ event }, response) =>
    response.writeHead(event.card?.id === bad && receiver.received.length < 30 ? 500 : 204).end(),
  );
  const { id } = await harness.hook(by, receiver.url);
  await harness.log(by.workspace_id, [...titles(3, { card: bad }), ...titles(20, { card: good })]);
  const of = (card: string) => receiver.received.filter(({ event }) => event.card?.id === card);
  await eventually(() => expect(titlesOf({ received: of(good) })).toEqual(titles(20).map(({ title }) => title)));
  expect(titlesOf({ received: of(bad) })).toEqual(['0']);
  await eventually(async () => {
    const failed = (await harness.deliveries(by, id)).find(({ error }) => error !== null);
    expect(failed).toMatchObject({ status: 500, attempt: 1, error: 'answered 500' });
    expect(Date.parse(failed?.next_try_at ?? '')).toBeGreaterThan(Date.parse(failed?.at ?? '') + 4_900);
  });
  receiver.answer = status(204);
  harness.clock.ahead += 7_000;
  await eventually(() => expect(titlesOf({ received: of(bad) })).toEqual(['0', '0', '1', '2']));
  const ids = of(bad).map(({ headers }) => headers['webhook-id']);
  expect(ids[0]).toBe(ids[1]);
});
