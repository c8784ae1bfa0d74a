import { sampledGauges } from '@cardinal/runtime';
import type { Connection } from '../connection.ts';
import { eventStream } from '../names.ts';

/**
 * Measures how far consumers are behind the stream. The broker knows it of each durable as a whole, so all instances of
 * a service tell the same.
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
