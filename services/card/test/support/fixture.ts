import { declareRegisters } from '@cardinal/bus';
import { atEndOfFile, startFeedDouble, testBus, testDatabase, testNats } from '@cardinal/testkit';
import { startIdentifierDouble } from './identifier-double.ts';
import { type Instance, startInstance } from './instance.ts';

interface Options {
  instances?: number;
}

const start = async <Beside>({ instances: count = 1 }: Options, startBeside: (natsUrl: string) => Promise<Beside>) => {
  const [{ urls }, nats] = await Promise.all([testDatabase({ service: 'card' }), testNats()]);
  await declareRegisters({ url: nats.url });
  const bus = await testBus(nats.url);
  const feeds = { dependency: startFeedDouble(bus, 'dependency'), attachment: startFeedDouble(bus, 'attachment') };
  const beside = await startBeside(nats.url);
  const where = { databaseUrl: urls.card, natsUrl: nats.url };
  const instances: Instance[] = [];
  for (let index = 0; index < count; index += 1) instances.push(await startInstance(where));

  atEndOfFile(async () => {
    for (const instance of instances) await instance.stop();
  });
  return { urls, natsUrl: nats.url, bus, feeds, instances, ...beside };
};

/** As `startFixture`, but without the identifier service: the real one is started by the test. */
export const startAlone = (options: Options = {}) => start(options, async () => ({}));
export type Fixture = Awaited<ReturnType<typeof startAlone>>;

/** A database and a broker of one's own, a caller on the bus, instances of the card service, and what stands in for the identifier service. */
export const startFixture = (options: Options = {}) =>
  start(options, async (natsUrl) => ({ identifier: await startIdentifierDouble(natsUrl) }));
