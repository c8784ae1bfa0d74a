import { setTimeout as pause } from 'node:timers/promises';
import { CardinalError, type ConsumerContract, type Event } from '@cardinal/contracts';
import { counter, type Logger, newContext, runInContext, span } from '@cardinal/runtime';
import { ConsumerEvents, type ConsumerMessages, type JsMsg } from 'nats';
import type { Connection } from '../connection.ts';
import { eventStream } from '../names.ts';
import { traceparentOf } from '../requests/wire.ts';
import { ackWaitMs } from './streams.ts';

const eventsAPull = 100;
const recoveryPauseMs = 500;
/** Before an event that failed comes again. */
const longestPauseMs = 30_000;

export interface ConsumeOptions {
  /** One that the deploy step made. */
  consumer: ConsumerContract;
  handle: (event: Event) => Promise<void>;
  /** Keeps an event that failed too often: the event, or the raw content of the message where it holds none. */
  onPoison: (event: unknown, error: unknown) => Promise<void>;
  /** Failures after which an event is given to `onPoison`; default 8. `unavailable` is not the event's fault. */
  maxDeliver?: number;
}

/**
 * Hands the events of a durable pull consumer to a handler, several at once and in no particular order. A failed event
 * is delivered again after a growing pause. Waits for a missing stream or durable: the deploy step creates both.
 */
export const consume = (
  { connection, logger }: { connection: Connection; logger: Logger },
  options: ConsumeOptions,
) => {
  const { durable } = options.consumer;
  let messages: ConsumerMessages | undefined;
  let stopped = false;

  const session = async () => {
    messages = await pull(connection, durable);
    if (stopped) await messages.close();
    void endWhenSilent(messages);
    for await (const message of messages) connection.track(deliver(message, options, logger));
  };

  connection.onBack(() => void messages?.close());

  const running = (async () => {
    let lastReason: string | undefined;
    while (!stopped) {
      try {
        await session();
        lastReason = undefined;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        // The same failure is logged only once.
        if (!stopped && reason !== lastReason) logger.warn({ reason, durable }, 'the consumer is interrupted');
        lastReason = reason;
      }
      if (!stopped) await pause(recoveryPauseMs);
    }
  })();

  return {
    /** Takes no further event; the caller waits for those in hand. */
    async stop() {
      stopped = true;
      await messages?.close();
      await running;
    },
  };
};

const pull = async ({ nats }: Connection, durable: string): Promise<ConsumerMessages> => {
  const consumer = await nats.jetstream().consumers.get(eventStream, durable);
  return consumer.consume({
    max_messages: eventsAPull,
    expires: 10_000,
    idle_heartbeat: 1_000,
    abort_on_missing_resource: true,
  });
};

/**
 * Ends a session when two heartbeats of the consumer are missing, or the connection broke (`onBack`): the next one
 * first asks which server leads the consumer. nats.js handles each of the two, but stops watching for heartbeats when
 * both happen at once, as when the leader of the consumer is lost; it would then wait for a lost pull for ever.
 */
const endWhenSilent = async (messages: ConsumerMessages): Promise<void> => {
  for await (const { type } of await messages.status()) {
    if (type === ConsumerEvents.HeartbeatsMissed) await messages.close();
  }
};

const handled = counter({
  name: 'cardinal_events_handled_total',
  help: 'Events that a consumer was handed, by how that went; one that failed comes again, a poisonous one does not',
  labels: ['durable', 'outcome'],
});

/** Hands one event to its handler and acknowledges it, or asks for redelivery. */
const deliver = async (message: JsMsg, options: ConsumeOptions, logger: Logger): Promise<void> => {
  const { consumer, handle, onPoison, maxDeliver = 8 } = options;
  const { durable } = consumer;
  const { subject } = message;
  const attempt = message.info.deliveryCount;
  const raw = readJson(message);
  const context = newContext({
    requestId: requestIdOf(raw),
    traceparent: traceparentOf(message.headers),
    timeoutMs: ackWaitMs,
  });
  const parseAndHandle = async () => {
    const contract = consumer.events.find((event) => event.subject === subject);
    if (!contract) throw new Error(`No contract for ${subject}`);
    await handle(contract.schema.parse(raw) as Event);
  };
  const keepPoison = (error: unknown) =>
    onPoison(raw, error).then(
      () => true,
      (failure) => {
        logger.error({ err: failure, durable }, 'a poisonous event could not be kept');
        return false;
      },
    );
  await runInContext(context, async () => {
    const attributes = { 'messaging.system': 'nats', 'messaging.consumer.group.name': durable };
    try {
      await span(subject, attributes, parseAndHandle, 'consumer');
    } catch (error) {
      const isPoison = attempt >= maxDeliver && !isOutage(error);
      logger.error({ err: error, subject, durable, attempt, poison: isPoison }, 'an event failed');
      const isKept = isPoison && (await keepPoison(error));
      handled.inc({ durable, outcome: isKept ? 'poisonous' : 'failed' });
      if (isKept) message.term('too many failures');
      else message.nak(Math.min(100 * 2 ** attempt, longestPauseMs));
      return;
    }
    handled.inc({ durable, outcome: 'ok' });
    message.ack();
  });
};

/** Another part of Cardinal was away; that is not the event's fault, however often it happens. */
const isOutage = (error: unknown): boolean => error instanceof CardinalError && error.code === 'unavailable';

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
