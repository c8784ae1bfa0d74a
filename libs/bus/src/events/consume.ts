import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@cardinal/runtime';
import type { ConsumerMessages } from 'nats';
import type { Connection } from '../connection.ts';
import type { InHand } from '../in-hand.ts';
import { eventStream } from '../names.ts';
import { type ConsumeOptions, deliver } from './deliver.ts';

const eventsAPull = 100;
const recoveryPauseMs = 500;

/** Consumes until it is stopped. */
export interface Consumption {
  /** Takes no further event; those in hand are finished by whoever tracks them. */
  stop(): Promise<void>;
}

/**
 * Hands the events of a durable pull consumer to a handler, several at once and in no particular order. A failed event
 * comes again after a growing pause. A stream or durable that is not there is waited for: the deploy step makes both.
 */
export const consume = (
  deps: { connection: Connection; logger: Logger; inHand: InHand },
  options: ConsumeOptions,
): Consumption => {
  const { connection, logger, inHand } = deps;
  const { durable } = options.consumer;
  let messages: ConsumerMessages | undefined;
  let stopped = false;

  const session = async () => {
    messages = await pull(connection, durable);
    if (stopped) await messages.close();
    for await (const message of messages) inHand.track(deliver(message, options, logger));
  };

  const running = (async () => {
    let told: string | undefined;
    while (!stopped) {
      try {
        await session();
        told = undefined;
      } catch (error) {
        const reason = reasonOf(error);
        // What lasts is told once.
        if (!stopped && reason !== told) logger.warn({ reason, durable }, 'the consumer is interrupted');
        told = reason;
      }
      if (!stopped) await pause(recoveryPauseMs);
    }
  })();

  return {
    async stop() {
      stopped = true;
      await messages?.close();
      await running;
    },
  };
};

const pull = async (connection: Connection, durable: string): Promise<ConsumerMessages> => {
  const consumer = await connection.nats.jetstream().consumers.get(eventStream, durable);
  return consumer.consume({
    max_messages: eventsAPull,
    expires: 10_000,
    idle_heartbeat: 1_000,
    abort_on_missing_resource: true,
  });
};

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
