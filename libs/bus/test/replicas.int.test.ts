import { defineEvent, type Event } from '@cardinal/contracts';
import { eventually, type TestNatsCluster, testNatsCluster } from '@cardinal/testkit';
import { type ClusterInfo, connect, type JetStreamManager } from 'nats';

import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { declareStreams } from '../src/index.ts';
import { aConsumer, eventOf, soon, useBroker, within } from './fixtures.ts';

const broker = useBroker();
const stream = 'CARDINAL_EVENTS';
const happened = defineEvent('test.happened', 1, z.object({}));
const consumer = aConsumer('test-happened', happened);

let cluster: TestNatsCluster;
let manager: JetStreamManager;
beforeAll(async () => {
  cluster = await testNatsCluster();
  const servers = cluster.servers.map(({ port }) => `127.0.0.1:${port}`);
  const nats = await connect({ servers, user: 'test', pass: 'test', pingInterval: 500 });
  manager = await eventually(() => nats.jetstreamManager());
  return () => nats.close();
});
const whole = (info: ClusterInfo | undefined) => 1 + (info?.replicas?.filter(({ current }) => current).length ?? 0);
const declare = (replicas?: number) => declareStreams({ url: cluster.url, consumers: [consumer], replicas });
/** Copies of the stream as declared; then those of it and of its consumer that have everything. */
const copies = async () => {
  const [{ config, cluster: ofStream }, { cluster: ofConsumer }] = [
    await manager.streams.info(stream),
    await manager.consumers.info(stream, consumer.durable),
  ];
  return [config.num_replicas, whole(ofStream), whole(ofConsumer)];
};

it('the stream and its consumers get a copy on each server of the cluster, also later, and none is taken away', async () => {
  await eventually(() => declare(1));
  expect(await copies()).toEqual([1, 1, 1]);
  await declare();
  await vi.waitFor(async () => expect(await copies()).toEqual([3, 3, 3]), soon);
  await declare();
  await declareStreams({ url: cluster.url, consumers: [consumer], onlyMissing: true });
  expect(await copies()).toEqual([3, 3, 3]);
  await manager.streams.delete(stream);
  await declare();
  await vi.waitFor(async () => expect(await copies()).toEqual([3, 3, 3]), soon);
  expect((await manager.streams.info('KV_CARDINAL_REGISTER')).config.num_replicas).toBe(3);
});

it.each([
  ['freeze', stream],
  ['kill', 'KV_CARDINAL_REGISTER'],
] as const)(
  'every event arrives, and the register is read and written on: %s of the server that leads %s',
  async (how, led) => {
    await eventually(() => declare());
    const info = async (name: string) => (await manager.streams.info(name)).cluster;
    for (const name of [stream, 'KV_CARDINAL_REGISTER'])
      await vi.waitFor(async () => expect(whole(await info(name))).toBe(3), soon);
    await vi.waitFor(async () => expect(await copies()).toEqual([3, 3, 3]), soon);
    const [publishing, consuming] = [await broker.bus({ url: cluster.url }), await broker.bus({ url: cluster.url })];
    const handled = new Set<string>();
    consuming.consume({ consumer, handle: async ({ id }) => void handled.add(id), onPoison: async () => {} });
    const events = Array.from({ length: 20 }, () => eventOf(happened));
    /** As the relay of an outbox: until the stream has it. */
    const publish = (event: Event) => eventually(() => within(60_000, () => publishing.publish(event)));
    for (const event of events.slice(0, 10)) await publish(event);
    await vi.waitFor(() => expect(handled.size).toBe(10), soon);
    const revision = await publishing.register.write(`test.${how}`, { n: 1 }, 0);

    const at = (await info(led))?.leader;
    const leader = cluster.servers.find(({ name }) => name === at);
    onTestFinished(() => leader?.restart());
    await leader?.[how]();
    const goOn = async () => {
      const read = await publishing.register.read(`test.${how}`);
      expect(read).toEqual({ value: { n: 1 }, revision });
      return publishing.register.write(`test.${how}`, { n: 2 }, read.revision);
    };
    expect(await within(20_000, goOn)).toBeGreaterThan(revision ?? 0);
    for (const event of events.slice(10)) await publish(event);
    await vi.waitFor(() => expect(handled).toEqual(new Set(events.map(({ id }) => id))), soon);
    await Promise.all([publishing.drain(), consuming.drain()]);
  },
);
