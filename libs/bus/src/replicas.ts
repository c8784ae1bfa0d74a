import type { JetStreamManager, StreamConfig, StreamInfo } from 'nats';
import { apiCodeOf, apiCodes, isStreamMissing } from './api-errors.ts';

/** Copies that a stream may have; an even number bears no more losses than the odd one below it. */
const copies = [5, 3, 1];

type Stream = Pick<StreamConfig, 'name'> & Partial<StreamConfig>;

/** Tries numbers of copies, the largest first, until the cluster has servers enough. */
const withMostCopies = async (counts: number[], declare: (replicas: number) => Promise<StreamInfo>) => {
  const [most = 1, ...fewer] = counts;
  return declare(most).catch((error): Promise<StreamInfo> => {
    if (fewer.length === 0 || !apiCodes.tooManyCopies.includes(apiCodeOf(error))) throw error;
    return withMostCopies(fewer, declare);
  });
};

/**
 * Creates a stream or brings it up to date, with as many copies as the cluster has servers for (5, 3 or 1); never with
 * fewer than it has.
 * @param how.onlyMissing leaves existing streams alone
 * @returns whether it was created
 * @throws NatsError what the broker refuses
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
    await withMostCopies(copies, (num_replicas) => manager.streams.add({ name, ...config, num_replicas }));
  } else if (!onlyMissing) {
    const present = there.config.num_replicas;
    await withMostCopies([...copies.filter((count) => count > present), present], (num_replicas) =>
      manager.streams.update(name, { ...config, num_replicas }),
    );
  }
  return !there;
};
