import { type cardDeleted, type InternalEventOf, projectCardDeleted } from '@cardinal/contracts';
import { testBus } from '@cardinal/testkit';

/** The dependency service's side of the contracts: tests see which deletions it received, and hold its answer back. */
export const startDependencyDouble = async (natsUrl: string) => {
  const bus = await testBus(natsUrl, 'dependency');
  const double = {
    bus,
    told: [] as InternalEventOf<typeof cardDeleted>[],
    /** What it waits for before it answers. */
    holdUp: undefined as Promise<void> | undefined,
  };
  bus.serve(projectCardDeleted, async (event) => {
    double.told.push(event);
    await double.holdUp;
    return { applied: true };
  });
  return double;
};
