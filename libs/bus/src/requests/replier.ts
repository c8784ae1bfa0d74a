import type { Logger } from '@cardinal/runtime';
import type { Msg } from 'nats';
import type { Connection } from '../connection.ts';
import { capacityOf, groupBySize, partsOf, type TravellingError } from './wire.ts';

type Outcome = { ok: unknown } | { error: TravellingError };

/**
 * Answers the items of one message as they get ready, so that a slow one holds up no other; those that are ready in one
 * tick share a message.
 */
export const replier = (connection: Connection, request: Msg, logger: Logger) => {
  let ready: string[] = [];

  const flush = () => {
    const answers = ready;
    ready = [];
    try {
      const capacity = capacityOf(connection.nats.info);
      for (const group of groupBySize(answers, Buffer.byteLength, capacity)) {
        for (const { data, headers } of partsOf(Buffer.from(`[${group.join(',')}]`), capacity)) {
          request.respond(data, headers ? { headers } : undefined);
        }
      }
    } catch (error) {
      logger.warn({ err: error, subject: request.subject }, 'an answer could not be sent');
    }
  };

  return (item: number, outcome: Outcome): void => {
    if (ready.length === 0) setImmediate(flush);
    ready.push(JSON.stringify({ item, ...outcome }));
  };
};
