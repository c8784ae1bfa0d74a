import { setTimeout as pause } from 'node:timers/promises';
import { CardinalError, type ConsumerContract, type Event } from '@cardinal/contracts';
import { counter, type Logger, newContext, runInContext, span } from '@cardinal/runtime';
import type { ConsumerMessages, JsMsg } from 'nats';
import type { Connection } from '../connection.ts';
import type { InHand } from '../in-flight.ts';
import { eventStream } from '../names.ts';
import { traceparentOf } from '../requests/wire.ts';
import { ackWaitMs } from './streams.ts';

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
    let lastReason: string | undefined;
    while (!stopped) {
      try {
        await session();
        lastReason = undefined;
      } catch (error) {
        const reason = reasonOf(error);
        // What lasts is told once.
        if (!stopped && reason !== lastReason) logger.warn({ reason, durable }, 'the consumer is interrupted');
        lastReason = reason;
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

export interface ConsumeOptions {
  /** One that the deploy step made. */
  consumer: ConsumerContract;
  handle: (event: Event) => Promise<void>;
  /** Keeps an event that failed too often: the event, or whatever the message holds instead of one. */
  onPoison: (event: unknown, error: unknown) => Promise<void>;
  /** Failures after which an event is given to `onPoison`; default 8. `unavailable` is not the event's fault. */
  maxDeliver?: number;
}

const handled = counter({
  name: 'cardinal_events_handled_total',
  help: 'Events that a consumer was handed, by how that went; one that failed comes again, a poisonous one does not',
  labels: ['durable', 'outcome'],
});

/** Hands one event to its handler and tells the stream how that went. */
const deliver = async (message: JsMsg, options: ConsumeOptions, logger: Logger): Promise<void> => {
  const { maxDeliver = 8 } = options;
  const { durable } = options.consumer;
  const attempt = message.info.deliveryCount;
  const raw = readJson(message);
  const context = newContext({
    requestId: requestIdOf(raw),
    traceparent: traceparentOf(message.headers),
    timeoutMs: ackWaitMs,
  });
  await runInContext(context, async () => {
    const attributes = { 'messaging.system': 'nats', 'messaging.consumer.group.name': durable };
    try {
      await span(message.subject, attributes, () => handle(message, raw, options), 'consumer');
    } catch (error) {
      const isPoison = attempt >= maxDeliver && !isOutage(error);
      logger.error({ err: error, subject: message.subject, durable, attempt, poison: isPoison }, 'an event failed');
      const isKept = isPoison && (await keepPoison(raw, error, options, logger));
      handled.inc({ durable, outcome: isKept ? 'poisonous' : 'failed' });
      if (isKept) message.term('too many failures');
      else message.nak(backoffMs(attempt));
      return;
    }
    handled.inc({ durable, outcome: 'ok' });
    message.ack();
  });
};

/** A part of ours was away; that is not the event's fault, however often it happens. */
const isOutage = (error: unknown): boolean => error instanceof CardinalError && error.code === 'unavailable';

const handle = async (message: JsMsg, raw: unknown, options: ConsumeOptions): Promise<void> => {
  const contract = options.consumer.events.find((event) => event.subject === message.subject);
  if (!contract) throw new Error(`No contract for ${message.subject}`);
  await options.handle(contract.schema.parse(raw) as Event);
};

const keepPoison = async (raw: unknown, error: unknown, options: ConsumeOptions, logger: Logger): Promise<boolean> => {
  try {
    await options.onPoison(raw, error);
    return true;
  } catch (failure) {
    logger.error({ err: failure, durable: options.consumer.durable }, 'a poisonous event could not be kept');
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
