import type { JetStreamManager, StreamConfig, StreamInfo } from 'nats';
import { apiCodeOf, apiCodes, isStreamMissing } from './api-errors.ts';

/** Replicas of a stream. An even number tolerates no more losses than the odd one below it. */
const replicaCounts = [5, 3, 1];

type Stream = Pick<StreamConfig, 'name'> & Partial<StreamConfig>;

/** Tries numbers of replicas, the largest first, until the cluster has enough servers. */
const withMostReplicas = async (counts: number[], declare: (replicas: number) => Promise<StreamInfo>) => {
  const [most = 1, ...fewer] = counts;
  return declare(most).catch((error): Promise<StreamInfo> => {
    if (fewer.length === 0 || !apiCodes.tooManyCopies.includes(apiCodeOf(error))) throw error;
    return withMostReplicas(fewer, declare);
  });
};

/**
 * Creates or updates a stream with as many replicas as the cluster has servers for (5, 3 or 1), never with fewer than
 * it has.
 * @param how.onlyMissing leaves existing streams alone
 * @returns whether it was created
 * @throws NatsError where the broker refuses
 */
export const declareStream = async (
  manager: JetStreamManager,
  { name, ...config }: Stream,
  { onlyMissing = false }: { onlyMissing?: boolean } = {},
): Promise<boolean> => {
  const there = await manager.streams.info(name).catch((error) => {
    if (isStreamMissing(error)) return undefined;
    throw error;
  });
  if (!there) {
    await withMostReplicas(replicaCounts, (num_replicas) => manager.streams.add({ name, ...config, num_replicas }));
  } else if (!onlyMissing) {
    const present = there.config.num_replicas;
    await withMostReplicas([...replicaCounts.filter((count) => count > present), present], (num_replicas) =>
      manager.streams.update(name, { ...config, num_replicas }),
    );
  }
  return !there;
};
