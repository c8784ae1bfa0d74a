import { type Event, unavailable } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import type { Connection } from '../connection.ts';
import { traceHeaders } from '../requests/wire.ts';

const ackTimeoutMs = 5_000;

/**
 * Publishes an event and waits until the stream has stored it. The event's id is its `Nats-Msg-Id`, so the stream drops
 * a second copy within two minutes; consumers keep an inbox for later ones.
 * @throws CardinalError `unavailable` where the stream did not acknowledge it; it may be stored nevertheless
 */
export const publisher = (connection: Connection) => {
  const stream = connection.nats.jetstream();
  return async (event: Event): Promise<void> => {
    connection.assertUp();
    try {
      await stream.publish(`evt.${event.type}`, JSON.stringify(event), {
        msgID: event.id,
        timeout: ackTimeoutMs,
        headers: traceHeaders(currentContext()),
      });
    } catch (error) {
      throw unavailable('The event was not acknowledged by the stream', error);
    }
  };
};
