import { type Logger, sweeper } from '@cardinal/runtime';
import { isStreamMissing } from '../api-errors.ts';
import type { Connection } from '../connection.ts';
import { eventStream, outboxMarks } from '../names.ts';
import { isFull } from './streams.ts';

export interface RefillOptions {
  /** The service whose outbox it is; all its instances name the same one. */
  owner: string;
  /** Marks every event of the outbox to be published again; resolves when that is durable. */
  refill: () => Promise<void>;
  /** Pause between two looks at the stream, ms; default 5 s. */
  everyMs?: number;
}

/** Far below the age at which the stream drops a message. */
const renewEveryMs = 60 * 60 * 1000;

/**
 * Notices that the stream was recreated or emptied, even while no service ran, and refills it. Each outbox keeps a mark
 * in the stream, named after the moment of its creation, so the mark is lost together with the events. It is written
 * only after `refill`, so a crash between the two repeats the refill. A full stream drops marks like any other message:
 * to fill it again would only drop more (decision 0012).
 */
export const watchStream = (
  { connection, logger }: { connection: Connection; logger: Logger },
  { owner, refill, everyMs = 5_000 }: RefillOptions,
) => {
  const { nats } = connection;
  const marks = outboxMarks(owner);
  let renewAt = 0;

  const look = async (): Promise<void> => {
    if (!connection.isUp()) return;
    const manager = await nats.jetstreamManager({ checkAPI: false });
    const info = await manager.streams.info(eventStream, { subjects_filter: `${marks}.*` });
    const { created, state } = info;
    const mark = `${marks}.${String(created).replace(/\D/g, '')}`;
    const isMarked = state.subjects?.[mark] !== undefined;
    if (isMarked && Date.now() < renewAt) return;
    if (!isMarked && isFull(info))
      logger.warn({ bytes: state.bytes }, 'the stream is full and drops its oldest events');
    else if (!isMarked) await refill();
    await nats.jetstream().publish(mark, '');
    renewAt = Date.now() + renewEveryMs;
  };
  const run = () =>
    look().catch((error) => {
      // The deploy step creates a missing stream.
      if (!isStreamMissing(error)) throw error;
    });

  return sweeper({ name: 'stream-refill', intervalMs: everyMs, run, logger });
};
