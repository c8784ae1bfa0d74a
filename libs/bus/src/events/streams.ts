import {
  type ConsumerContract,
  consumers as everyConsumer,
  type RegisterName,
  registerNames,
} from '@cardinal/contracts';
import { AckPolicy, DeliverPolicy, DiscardPolicy, nanos, StorageType, type StreamInfo } from 'nats';
import { apiCodeOf, apiCodes, isStreamMissing } from '../api-errors.ts';
import type { Broker } from '../broker.ts';
import { onBroker } from '../connection.ts';
import { eventStream, partsOf } from '../names.ts';
import { declareStream } from './replicas.ts';

const dayMs = 24 * 60 * 60 * 1000;
const gibibyte = 1_024 ** 3;

/** Events that one consumer may have in hand, those waiting for their next try included. */
const eventsInHand = 512;

/** How long a consumer may take over one event, ms. */
export const ackWaitMs = 30_000;

/** What the deploy step declares, as the broker's user `deploy`. */
interface Declaration extends Broker {
  /** Copies of the stream in a cluster; by default as many as it has servers for, and never fewer than there are. */
  replicas?: number | undefined;
  /** The longest that the stream gets, bytes; below what the server keeps files for. Default 2 GiB. */
  maxBytes?: number | undefined;
  /** Durable consumers; default those of the contracts. */
  consumers?: readonly ConsumerContract[];
  /** Creates what is missing and leaves existing ones alone. */
  onlyMissing?: boolean;
}

/**
 * The deploy step for the broker: creates the stream of events, its durable consumers and the registers, or brings
 * existing ones up to date. Safe to repeat. A stream that is full drops its oldest events (decision 0012).
 * @returns the names of what it created
 */
export const declareStreams = ({
  url,
  ca,
  replicas,
  maxBytes = 2 * gibibyte,
  consumers = Object.values(everyConsumer),
  onlyMissing = false,
}: Declaration): Promise<string[]> =>
  onBroker({ url, ca }, { name: 'cardinal-deploy' }, async (nats) => {
    const manager = await nats.jetstreamManager();
    const stream = {
      name: eventStream,
      subjects: ['evt.>'],
      storage: StorageType.File,
      max_age: nanos(7 * dayMs),
      max_bytes: maxBytes,
      max_msg_size: 1_048_576,
      discard: DiscardPolicy.Old,
      duplicate_window: nanos(2 * 60 * 1000),
    };
    const made: string[] = [];
    if (await declareStream(manager, stream, { replicas, onlyMissing })) made.push(eventStream);
    for (const { durable, events } of consumers) {
      const config = { ...mutable, filter_subjects: events.map(({ subject }) => subject) };
      const isThere = await found(manager.consumers.info(eventStream, durable));
      if (!isThere) await manager.consumers.add(eventStream, { durable_name: durable, ...fixed, ...config });
      else if (!onlyMissing) await manager.consumers.update(eventStream, durable, config);
      if (!isThere) made.push(durable);
    }
    for (const name of registerNames) {
      const config = registerStream(name);
      if (await declareStream(manager, config, { onlyMissing })) made.push(config.name);
    }
    return made;
  });

/**
 * As NATS makes a key-value bucket with one value a key (ADR-8 of NATS). Nothing is ever dropped from it, and nothing is
 * read from a replica. Without rollups, a user who may write a key can empty nothing else.
 */
const registerStream = (name: RegisterName) => ({
  name: partsOf(name).stream,
  subjects: [partsOf(name).subjects],
  storage: StorageType.File,
  max_msgs_per_subject: 1,
  discard: DiscardPolicy.New,
  deny_delete: true,
  allow_direct: false,
});

const mutable = { ack_wait: nanos(ackWaitMs), max_ack_pending: eventsInHand };
/** A recreated consumer gets everything that the stream has: services skip the events that they have processed. */
const fixed = { ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.All };

const found = (info: Promise<unknown>): Promise<boolean> =>
  info.then(
    () => true,
    (error) => {
      if (isStreamMissing(error) || apiCodeOf(error) === apiCodes.consumerNotFound) return false;
      throw error;
    },
  );

/** True for a stream that drops its oldest messages because it is as long as it may get, or nearly so. */
export const isFull = ({ config, state }: StreamInfo): boolean =>
  config.max_bytes > 0 && state.bytes > 0.75 * config.max_bytes;
