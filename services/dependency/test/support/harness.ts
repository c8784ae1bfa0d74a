import { type Connections, createVisibility, startProjections } from '@cardinal/service';
import { testBus, testSurroundings } from '@cardinal/testkit';
import { testInstance } from '@cardinal/testkit/instance';
import type { Tables } from '../../src/context.ts';
import { serveDependencies } from '../../src/dependencies/dependencies.ts';
import { projectionsOf } from '../../src/service.ts';

/** The service with its projections. */
const make = (connections: Connections<Tables>) => {
  const context = { ...connections, visibility: createVisibility(connections.bus) };
  serveDependencies(context);
  return { context, parts: [startProjections(context, projectionsOf(context))] };
};

/**
 * A database and a broker of its own, a caller on the bus, and instances of the dependency service.
 * @param options.bestEffortTimeoutMs how long a write waits for its projection: where there is one, until it has the
 * event
 */
export const startHarness = async ({ instances = 1, bestEffortTimeoutMs = 60_000 } = {}) => {
  const { urls, natsUrl, bus } = await testSurroundings({ service: 'dependency' });
  const otherBus = await testBus(natsUrl);
  const where = { databaseUrl: urls.dependency, natsUrl };
  const start = () => testInstance('dependency', where, make, { bestEffortTimeoutMs });
  const { context } = await start();
  for (let index = 1; index < instances; index += 1) await start();
  return {
    urls,
    natsUrl,
    bus,
    /** A second caller: the calls of one bus in one tick go to one instance. */
    otherBus,
    context,
    db: context.db,
  };
};
export type Harness = Awaited<ReturnType<typeof startHarness>>;
