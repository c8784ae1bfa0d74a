import { startFeedDouble, testSurroundings } from '@cardinal/testkit';
import { startIdentifierDouble } from './identifier-double.ts';
import { type Instance, startInstance } from './instance.ts';

interface Options {
  instances?: number;
}

const start = async <Beside>({ instances: count = 1 }: Options, startBeside: (natsUrl: string) => Promise<Beside>) => {
  const { urls, natsUrl, bus } = await testSurroundings({ service: 'card' });
  const feeds = { dependency: startFeedDouble(bus, 'dependency'), attachment: startFeedDouble(bus, 'attachment') };
  const beside = await startBeside(natsUrl);
  const instances: Instance[] = [];
  for (let index = 0; index < count; index += 1)
    instances.push(await startInstance({ databaseUrl: urls.card, natsUrl }));
  /** The first one; there is none where none was asked for. */
  const instance = instances[0] as Instance;
  return { urls, natsUrl, bus, feeds, instances, instance, ...beside };
};

/** As `startFixture`, but without the identifier service: the real one is started by the test. */
export const startAlone = (options: Options = {}) => start(options, async () => ({}));
export type Fixture = Awaited<ReturnType<typeof startAlone>>;

/** A database and a broker of one's own, a caller on the bus, instances of the card service, and what stands in for the identifier service. */
export const startFixture = (options: Options = {}) =>
  start(options, async (natsUrl) => ({ identifier: await startIdentifierDouble(natsUrl) }));
