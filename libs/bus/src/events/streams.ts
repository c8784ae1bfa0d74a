import { AckPolicy, connect, DeliverPolicy, type JetStreamManager, NatsError, nanos, StorageType } from 'nats';
import { connectionOptions } from '../connection.ts';

/** The one stream that every event goes through. */
export const eventStream = 'CARDINAL_EVENTS';

const dayMs = 24 * 60 * 60 * 1000;
const streamNotFound = 10_059;

/** Events that one consumer may have in hand, those waiting for their next try included. */
const eventsInHand = 512;

/** How long a consumer may take over one event, ms. */
export const ackWaitMs = 30_000;

/**
 * The deploy step for the broker: creates the stream of events, or brings an existing one up to date. Safe to repeat.
 * @param replicas copies of the stream in a cluster; default 1
 */
export const declareStreams = async ({ url, replicas = 1 }: { url: string; replicas?: number }): Promise<void> => {
  const nats = await connect({ ...connectionOptions(url), name: 'cardinal-deploy' });
  try {
    const { streams } = await nats.jetstreamManager();
    const config = {
      subjects: ['evt.>'],
      storage: StorageType.File,
      max_age: nanos(7 * dayMs),
      duplicate_window: nanos(2 * 60 * 1000),
      num_replicas: replicas,
    };
    const exists = await streams.info(eventStream).then(
      () => true,
      (error) => {
        if (isStreamMissing(error)) return false;
        throw error;
      },
    );
    if (exists) await streams.update(eventStream, config);
    else await streams.add({ name: eventStream, ...config });
  } finally {
    await nats.close();
  }
};

/** True for the answer of a broker that has no such stream, or none yet. */
export const isStreamMissing = (error: unknown): boolean =>
  error instanceof NatsError && error.api_error?.err_code === streamNotFound;

/** Creates a durable pull consumer of the given subjects, or brings an existing one up to date. */
export const declareConsumer = (manager: JetStreamManager, durable: string, subjects: string[]) =>
  manager.consumers.add(eventStream, {
    durable_name: durable,
    filter_subjects: subjects,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    deliver_policy: DeliverPolicy.All,
    max_ack_pending: eventsInHand,
  });
