import { declareStreams } from '@cardinal/bus';
import { atEndOfFile, testBus, testDatabase, testNats } from '@cardinal/testkit';
import { startIdentifierDouble } from './identifier-double.ts';
import { type Instance, startInstance } from './instance.ts';

/** As `startFixture`, but without the identifier service: the real one is started by the test. */
export const startAlone = async ({ instances: count = 1 }: { instances?: number } = {}) => {
  const [{ urls }, nats] = await Promise.all([testDatabase({ service: 'card' }), testNats()]);
  await declareStreams({ url: nats.url });
  const bus = await testBus(nats.url);
  const where = { databaseUrl: urls.card, natsUrl: nats.url };
  const instances: Instance[] = [];
  for (let index = 0; index < count; index += 1) instances.push(await startInstance(where));

  atEndOfFile(async () => {
    for (const instance of instances) await instance.stop();
  });
  return { urls, natsUrl: nats.url, bus, instances };
};
export type Fixture = Awaited<ReturnType<typeof startAlone>>;

/** A database and a broker of one's own, a caller on the bus, instances of the card service, and what stands in for the identifier service. */
export const startFixture = async (options?: Parameters<typeof startAlone>[0]) => {
  const fixture = await startAlone(options);
  return { ...fixture, identifier: await startIdentifierDouble(fixture.natsUrl) };
};
