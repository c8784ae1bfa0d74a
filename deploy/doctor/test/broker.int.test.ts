import { randomUUID } from 'node:crypto';
import { connectBus, declareStreams } from '@cardinal/bus';
import { consumers, type Event } from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { type TestNats, testNats } from '@cardinal/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { brokerChecks } from '../src/checks/events.ts';
import { repairFindings } from '../src/repair.ts';
import { useHealthyDatabase } from './database.ts';
import { workspace } from './rows.ts';

const { run, look } = useHealthyDatabase();
const soon = { timeout: 60_000 };
let nats: TestNats;

beforeEach(async () => {
  nats = await testNats();
  return () => nats.stop();
});

const connect = async () => {
  const bus = await connectBus({
    url: nats.url,
    name: 'test',
    logger: createLogger({ service: 'test', level: 'silent' }),
    drainTimeoutMs: 10,
  });
  onTestFinished(() => bus.drain());
  return bus;
};
/** The stream and every consumer, and somebody who consumes. */
const setUp = async (handle: (event: Event) => Promise<void> = async () => {}) => {
  await declareStreams({ url: nats.url });
  const bus = await connect();
  for (const consumer of Object.values(consumers)) bus.consume({ consumer, handle, onPoison: async () => {} });
  return bus;
};
const aDeletion = (): Event => ({
  ...{
    id: randomUUID(),
    type: 'card.deleted',
    version: 1,
    occurred_at: new Date().toISOString(),
    workspace_id: workspace,
  },
  ...{
    request_id: 'test',
    aggregate_id: randomUUID(),
    aggregate_version: 2,
    data: { board_id: randomUUID(), identifier: 'WEB-1' },
  },
});
const published = ({ id }: Event, age: string) =>
  run(`insert into card.outbox (id, workspace_id, subject, event, published_at)
    values ('${id}', '${workspace}', 'evt.card.deleted', '{}', now() - interval '${age}')`);
const lookAtBroker = (lateMs?: number) => look(brokerChecks(nats, lateMs));

describe('the doctor', () => {
  it('finds nothing where every event is in the stream and dealt with', async () => {
    const bus = await setUp();
    const event = aDeletion();
    await bus.publish(event);
    await published(event, '10 minutes');
    await published(aDeletion(), '25 hours');
    await published(aDeletion(), '2 minutes');
    await expect.poll(async () => (await lookAtBroker(0)).told, soon).toBe('');
  });

  it('says that the broker does not answer', async () => {
    await nats.kill();
    const { told } = await lookAtBroker();
    expect(told).toMatch(/^could not be looked at: The broker does not answer: CONNECTION_REFUSED/);
  });

  it('says that there is no stream, and which events it lacks for that', async () => {
    const [one, two] = [aDeletion(), aDeletion()];
    await published(one, '10 minutes');
    await published(two, '23 hours');
    expect((await lookAtBroker()).told).toMatch(
      /^there is no stream of events.*\ncard: the stream lacks 2 of evt.card.deleted, published since /,
    );
  });

  it('names consumers that are missing', async () => {
    await declareStreams({ url: nats.url, consumers: [] });
    const { told } = await lookAtBroker();
    expect(told.split('\n')).toHaveLength(6);
    expect(told).toContain('consumer dependency-card-deleted is missing: the deploy step declares it');
  });

  it('names a consumer that does not get on, once that lasts', async () => {
    const bus = await setUp(() => new Promise(() => {}));
    await bus.publish(aDeletion());
    const stuck = /^consumer dependency-card-deleted has not dealt with evt.card.deleted of \d{4}-.*Z$/m;
    await expect.poll(async () => (await lookAtBroker(0)).told, soon).toMatch(stuck);
    expect((await lookAtBroker()).told).toBe('');
  });

  it('takes for no loss what a full stream dropped, but still what else it lacks', async () => {
    const bus = await setUp();
    await declareStreams({ url: nats.url, maxBytes: 20_000 });
    const [dropped, lost] = [aDeletion(), aDeletion()];
    await published(dropped, '10 minutes');
    for (let at = 0; at < 60; at += 1) await bus.publish(aDeletion());
    expect((await lookAtBroker()).told).toBe('');
    await declareStreams({ url: nats.url });
    await published(lost, '9 minutes');
    expect((await lookAtBroker()).told).toMatch(/the stream lacks 2 of evt.card.deleted/);
  });

  it('has what a purge took out of the stream published again, and nothing else', async () => {
    const bus = await setUp();
    const [kept, lost, waiting] = [aDeletion(), aDeletion(), aDeletion()];
    for (const event of [kept, lost]) await published(event, '10 minutes');
    await bus.publish(kept);
    await run(
      `insert into card.outbox (id, workspace_id, subject, event) values ('${waiting.id}', '${workspace}', 'evt.card.deleted', '{}')`,
    );
    const found = await lookAtBroker();
    expect(found.told).toMatch(/^card: the stream lacks 1 of evt.card.deleted, published since .*Z$/);
    expect(await repairFindings(found.findings)).toEqual({ tried: 1, failures: [] });
    const open = await run(`select id from card.outbox where published_at is null order by id`);
    expect(open).toEqual([lost.id, waiting.id].sort().map((id) => ({ id })));
    expect((await lookAtBroker()).told).toBe('');
  });
});
