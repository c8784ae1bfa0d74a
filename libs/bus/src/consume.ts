import { setTimeout as pause } from 'node:timers/promises';
import { CardinalError, type Event, type EventContract } from '@cardinal/contracts';
import { type Logger, newContext, runInContext, span } from '@cardinal/runtime';
import type { ConsumerMessages, JsMsg } from 'nats';
import type { Connection } from './connection.ts';
import type { InHand } from './in-hand.ts';
import { ackWaitMs, declareConsumer, eventStream } from './streams.ts';
import { traceparentOf } from './wire.ts';

const eventsAtOnce = 32;
const recoveryPauseMs = 500;

export interface ConsumeOptions {
  /** Name of the durable consumer, which remembers what was acknowledged. */
  durable: string;
  events: EventContract[];
  handle: (event: Event) => Promise<void>;
  /** Keeps an event that failed too often: the event, or whatever the message holds instead of one. */
  onPoison: (event: unknown, error: unknown) => Promise<void>;
  /** Failures after which an event is given to `onPoison`; default 8. `unavailable` is not the event's fault. */
  maxDeliver?: number;
}

/** Consumes until it is stopped. */
export interface Consumption {
  /** Takes no further event; those in hand are finished by whoever tracks them. */
  stop(): Promise<void>;
}

/**
 * Hands the events of a durable pull consumer to a handler, several at once and in no particular order. A failed event
 * comes again after a growing pause. A consumer or stream that vanished is made anew (the stream by the deploy step).
 */
export const consume = async (
  deps: { connection: Connection; logger: Logger; inHand: InHand },
  options: ConsumeOptions,
): Promise<Consumption> => {
  const { connection, logger, inHand } = deps;
  const { durable } = options;
  const subjects = options.events.map((event) => event.subject);
  const manager = await connection.nats.jetstreamManager({ checkAPI: false });
  let messages: ConsumerMessages | undefined;
  let stopped = false;

  const session = async () => {
    await declareConsumer(manager, durable, subjects);
    messages = await pull(connection, durable);
    if (stopped) await messages.close();
    for await (const message of messages) inHand.track(deliver(message, options, logger));
  };

  const running = (async () => {
    while (!stopped) {
      try {
        await session();
      } catch (error) {
        if (!stopped) logger.warn({ reason: reasonOf(error), durable }, 'the consumer is interrupted');
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
    max_messages: eventsAtOnce,
    expires: 10_000,
    idle_heartbeat: 1_000,
    abort_on_missing_resource: true,
  });
};

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const deliver = async (message: JsMsg, options: ConsumeOptions, logger: Logger): Promise<void> => {
  const { durable, maxDeliver = 8 } = options;
  const attempt = message.info.deliveryCount;
  const raw = readJson(message);
  const context = newContext({
    requestId: requestIdOf(raw),
    traceparent: traceparentOf(message.headers),
    timeoutMs: ackWaitMs,
  });
  await runInContext(context, async () => {
    try {
      await span(
        message.subject,
        { 'messaging.system': 'nats', durable },
        () => handle(message, raw, options),
        'consumer',
      );
      message.ack();
    } catch (error) {
      const isPoison = attempt >= maxDeliver && !(error instanceof CardinalError && error.code === 'unavailable');
      logger.error({ err: error, subject: message.subject, durable, attempt, poison: isPoison }, 'an event failed');
      if (isPoison && (await bury(raw, error, options, logger))) message.term('too many failures');
      else message.nak(backoffMs(attempt));
    }
  });
};

const handle = async (message: JsMsg, raw: unknown, options: ConsumeOptions): Promise<void> => {
  const contract = options.events.find((event) => event.subject === message.subject);
  if (!contract) throw new Error(`No contract for ${message.subject}`);
  await options.handle(contract.schema.parse(raw) as Event);
};

const bury = async (raw: unknown, error: unknown, options: ConsumeOptions, logger: Logger): Promise<boolean> => {
  try {
    await options.onPoison(raw, error);
    return true;
  } catch (failure) {
    logger.error({ err: failure, durable: options.durable }, 'a poisonous event could not be kept');
    return false;
  }
};

const readJson = (message: JsMsg): unknown => {
  try {
    return message.json();
  } catch {
    return message.string();
  }
};

const requestIdOf = (raw: unknown): string => {
  const id = (raw as { request_id?: unknown } | null)?.request_id;
  return typeof id === 'string' ? id : '';
};

const backoffMs = (attempt: number): number => Math.min(100 * 2 ** attempt, 30_000);
