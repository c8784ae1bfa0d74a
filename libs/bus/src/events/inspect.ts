import { unavailable } from '@cardinal/contracts';
import { sampledGauges } from '@cardinal/runtime';
import { type ConsumerInfo, DeliverPolicy, type JetStreamManager, type NatsConnection, NatsError } from 'nats';
import { apiCodeOf, apiCodes, isStreamMissing } from '../api-errors.ts';
import type { Broker } from '../broker.ts';
import { type Connection, onBroker } from '../connection.ts';
import { eventStream } from '../names.ts';
import { isFull } from './streams.ts';

const connectTimeoutMs = 3_000;
const messagesAPull = 5_000;
const pullTimeoutMs = 10_000;

/**
 * Lists the durable consumers of the event stream, as the deploy step's user, each with the oldest event that it has not
 * dealt with: never handed out, in hand, or waiting for its next try. Changes nothing.
 * @returns undefined where there is no stream
 * @throws CardinalError `unavailable` where the broker does not answer
 */
export const inspectConsumers = (broker: Broker) =>
  ofStream(broker, async (_, manager) => {
    const found = [];
    for await (const info of manager.consumers.list(eventStream)) {
      if (info.config.durable_name) found.push({ durable: info.name, waiting: await oldestWaiting(manager, info) });
    }
    return found;
  });

/**
 * Reads which events the stream holds of those that it stored since a moment; changes nothing.
 * @returns their ids; undefined where there is no stream
 * @throws CardinalError `unavailable` where the broker does not answer
 */
export const storedEventIds = (broker: Broker, since: Date): Promise<Set<string> | undefined> =>
  ofStream(broker, async (nats) => {
    const ids = new Set<string>();
    const consumer = await nats.jetstream().consumers.get(eventStream, {
      deliver_policy: DeliverPolicy.StartTime,
      opt_start_time: since.toISOString(),
      headers_only: true,
    });
    let pending = (await consumer.info()).num_pending;
    while (pending > 0) {
      pending = 0;
      for await (const message of await consumer.fetch({ max_messages: messagesAPull, expires: pullTimeoutMs })) {
        const id = message.headers?.get('Nats-Msg-Id');
        if (id) ids.add(id);
        pending = message.info.pending;
        // Otherwise the last pull would wait for more.
        if (pending === 0) break;
      }
    }
    return ids;
  });

/**
 * Finds out up to when the stream has dropped events because it is full; changes nothing.
 * @returns undefined where it is not full, or where there is none
 * @throws CardinalError `unavailable` where the broker does not answer
 */
export const droppedUntil = (broker: Broker): Promise<Date | undefined> =>
  ofStream(broker, async (_, manager) => {
    const info = await manager.streams.info(eventStream);
    return isFull(info) ? new Date(info.state.first_ts) : undefined;
  });

const ofStream = async <Result>(
  broker: Broker,
  look: (nats: NatsConnection, manager: JetStreamManager) => Promise<Result>,
): Promise<Result | undefined> => {
  try {
    return await onBroker(broker, { name: 'cardinal-doctor', timeout: connectTimeoutMs }, async (nats) =>
      look(nats, await nats.jetstreamManager()),
    );
  } catch (error) {
    if (isStreamMissing(error)) return undefined;
    throw error instanceof NatsError ? unavailable(`The broker does not answer: ${error.code}`, error) : error;
  }
};

const oldestWaiting = async (manager: JetStreamManager, { config, ...info }: ConsumerInfo) => {
  if (info.num_pending + info.num_ack_pending === 0) return undefined;
  const subjects = config.filter_subjects ?? [config.filter_subject ?? '>'];
  const from = info.ack_floor.stream_seq + 1;
  const found = await Promise.all(subjects.map((subject) => nextMessage(manager, from, subject)));
  return found.filter((one) => one !== undefined).sort((one, other) => one.sequence - other.sequence)[0];
};

const nextMessage = async (manager: JetStreamManager, seq: number, subject: string) => {
  // The client's type does not know of the second field, which the server does.
  const query: { seq: number } = Object.assign({ seq }, { next_by_subj: subject });
  try {
    const message = await manager.streams.getMessage(eventStream, query);
    return { sequence: message.seq, subject: message.subject, since: message.time };
  } catch (error) {
    if (apiCodeOf(error) === apiCodes.messageNotFound) return undefined;
    throw error;
  }
};

/**
 * Measures how far consumers are behind the stream. The broker knows it of each durable as a whole, so all instances of
 * a service report the same.
 * @param durables those that this process consumes by now
 */
export const measureLag = ({ nats, isUp }: Connection, durables: () => string[]): void =>
  sampledGauges({
    gauges: {
      cardinal_consumer_pending_events: 'Events of the stream that a consumer was not handed yet',
      cardinal_consumer_unacknowledged_events: 'Events that a consumer was handed and has not dealt with yet',
    },
    labels: ['durable'],
    sample: async () => {
      if (!isUp()) return [];
      const lags = durables().map(async (durable) => {
        const consumer = await nats.jetstream().consumers.get(eventStream, durable);
        const { num_pending, num_ack_pending } = await consumer.info(true);
        return [
          { name: 'cardinal_consumer_pending_events', labels: { durable }, value: num_pending } as const,
          { name: 'cardinal_consumer_unacknowledged_events', labels: { durable }, value: num_ack_pending } as const,
        ];
      });
      return (await Promise.all(lags)).flat();
    },
  });
