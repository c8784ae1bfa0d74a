import { eventually, type TestNatsCluster, testNatsCluster } from '@cardinal/testkit';
import { type ClusterInfo, connect, type JetStreamManager } from 'nats';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { declareRegisters } from '../src/index.ts';
import { soon, useBroker, within } from './fixtures.ts';

const broker = useBroker();
const register = 'KV_CARDINAL_REGISTER';

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
const declare = () => declareRegisters({ url: cluster.url });
/** Replicas of the register: declared, and up to date. */
const copies = async () => {
  const { config, cluster: ofStream } = await manager.streams.info(register);
  return [config.num_replicas, whole(ofStream)];
};

it('a register gets a replica on each server of the cluster, also later, and loses none', async () => {
  await eventually(declare);
  await manager.streams.update(register, { num_replicas: 1 });
  await vi.waitFor(async () => expect(await copies()).toEqual([1, 1]), soon);
  await declare();
  await vi.waitFor(async () => expect(await copies()).toEqual([3, 3]), soon);
  await declare();
  await declareRegisters({ url: cluster.url, onlyMissing: true });
  expect(await copies()).toEqual([3, 3]);
});

it.each(['freeze', 'kill'] as const)('it can be read and written after a %s of its leader', async (how) => {
  await eventually(declare);
  await vi.waitFor(async () => expect(await copies()).toEqual([3, 3]), soon);
  const bus = await broker.bus({ url: cluster.url });
  const revision = await bus.register.write(`test.${how}`, { n: 1 }, 0);
  const at = (await manager.streams.info(register)).cluster?.leader;
  const leader = cluster.servers.find(({ name }) => name === at);
  onTestFinished(() => leader?.restart());
  await leader?.[how]();
  const goOn = async () => {
    const read = await bus.register.read(`test.${how}`);
    expect(read).toEqual({ value: { n: 1 }, revision });
    return bus.register.write(`test.${how}`, { n: 2 }, read.revision);
  };
  expect(await within(20_000, goOn)).toBeGreaterThan(revision ?? 0);
  await bus.drain();
});
