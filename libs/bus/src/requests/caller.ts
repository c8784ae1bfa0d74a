import { CardinalError, type Document, type RequestContract, unavailable } from '@cardinal/contracts';
import { currentContext, type Logger, newContext } from '@cardinal/runtime';
import type { Connection } from '../connection.ts';
import { type Call, startAttempts } from './attempts.ts';
import { capacityOf, groupBySize, sizeOfItem } from './wire.ts';

/** Calls that may wait for the connection to come back, and their bytes; further ones are refused meanwhile. */
const mostWaiting = 2_000;
const mostBytesWaiting = 16 * 1_048_576;

/** The calling half of request-reply: requests made of one subject in one tick share a message. */
export const startCaller = (deps: { connection: Connection; logger: Logger }) => {
  const { connection } = deps;
  const attempts = startAttempts(deps);
  let waiting = new Map<string, Call[]>();
  const open = { calls: 0, bytes: 0 };

  const capacity = () => capacityOf(connection.nats.info);

  const flush = () => {
    const bySubject = waiting;
    waiting = new Map();
    for (const [subject, calls] of bySubject) {
      for (const group of groupBySize(calls, capacity())) attempts.send(subject, group);
    }
  };

  const enqueue = (subject: string, call: Call) => {
    if (call.size > capacity()) {
      throw new CardinalError('payload_too_large', 'The request is too large for a message of the bus');
    }
    const queue = waiting.get(subject);
    if (waiting.size === 0) setImmediate(flush);
    if (queue) queue.push(call);
    else waiting.set(subject, [call]);
  };

  return {
    /**
     * Sends a request, a JSON value, and answers what the server answered.
     * @param timeoutMs the longest that it waits, ms
     * @throws CardinalError the server's own error, or `unavailable` where it gave no answer in time
     */
    call: ({ subject, setsState = false }: RequestContract, request: unknown, timeoutMs: number) =>
      new Promise<Document>((resolve, reject) => {
        if (connection.nats.isClosed()) throw unavailable('The connection to the message broker was closed');
        const now = Date.now();
        const from = currentContext() ?? newContext({ timeoutMs });
        const context = { ...from, deadline: Math.min(from.deadline, now + timeoutMs) };
        const body = JSON.stringify(request);
        const call: Call = {
          body,
          context,
          size: sizeOfItem(body, context),
          retryAt: now + (context.deadline - now) / 2,
          setsState,
          open: true,
          settle(outcome) {
            if (!call.open) return;
            call.open = false;
            open.calls -= 1;
            open.bytes -= call.size;
            if ('document' in outcome) resolve(outcome.document);
            else reject(outcome.error);
          },
        };
        const isTooMuch = open.calls >= mostWaiting || open.bytes + call.size > mostBytesWaiting;
        if (isTooMuch && !connection.isUp()) throw unavailable('Too many requests wait for the message broker');
        enqueue(subject, call);
        open.calls += 1;
        open.bytes += call.size;
      }),
    /** Gives up every call still open. */
    close: attempts.giveUpAll,
  };
};
