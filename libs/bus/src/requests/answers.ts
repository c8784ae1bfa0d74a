import { randomUUID } from 'node:crypto';
import type { Logger } from '@cardinal/runtime';
import { createInbox } from 'nats';
import type { Connection } from '../connection.ts';
import {
  capacityOf,
  frameOf,
  groupBySize,
  internal,
  isTooLarge,
  type Outcome,
  type WrittenAnswer,
  writeAnswer,
} from './wire.ts';

/** What a server of requests needs. */
export interface Serving {
  connection: Connection;
  /** One for all requests of a process. */
  sender: AnswerSender;
  logger: Logger;
}

interface Ready extends WrittenAnswer {
  /** When the caller stops waiting, epoch ms. */
  deadline: number;
}

const readyOf = (item: number, outcome: Outcome, deadline: number): Ready => ({
  ...writeAnswer({ item, ...outcome }),
  deadline,
});

/**
 * Answers the items of one message as they get ready, so a slow one does not delay the others. Answers that are ready
 * in one tick share a message. A reply larger than a message becomes `internal`, and such an error loses its details. A
 * reply is `unavailable` where too many large ones wait for their readers.
 */
export const replier = (
  { connection, sender, logger }: Serving,
  { subject, reply }: { subject: string; reply: string },
) => {
  let ready: Ready[] = [];

  const send = (answers: Ready[]): boolean =>
    sender.send({ reply, data: frameOf(answers), deadline: Math.max(...answers.map(({ deadline }) => deadline)) });

  const flush = () => {
    const answers = ready;
    ready = [];
    try {
      for (const group of groupBySize(answers, capacityOf(connection.nats.info))) {
        if (send(group)) continue;
        logger.warn({ subject }, 'an answer was refused: too many large answers wait to be read');
        const error = { code: 'unavailable', message: 'Too many large answers wait to be read' } as const;
        const refusals = group.map(({ item, deadline }) => readyOf(item, { error }, deadline));
        send(refusals);
      }
    } catch (error) {
      logger.warn({ err: error, subject }, 'an answer could not be sent');
    }
  };

  return (item: number, outcome: Outcome, deadline: number): void => {
    let answer = readyOf(item, outcome, deadline);
    if (isTooLarge(answer, capacityOf(connection.nats.info))) {
      logger.error({ subject, bytes: answer.size }, 'a reply is too large for the bus');
      const error = 'error' in outcome ? { ...outcome.error, details: undefined } : internal;
      answer = readyOf(item, { error }, deadline);
    }
    ready.push(answer);
    // Nothing else gets ready in this tick.
    if (connection.inHand() === 0) flush();
    else if (ready.length === 1) sender.atEndOfTick(flush);
  };
};

/** From this size on an answer is subject to flow control, bytes. Small reads never wait behind large ones. */
const largeBytes = 64 * 1_024;
/** Most bytes of large answers in flight to one caller: far below the broker's limit for a slow reader. */
const windowBytes = 4 * 1_048_576;
/** Most bytes of large answers that wait in this process, for all callers together. */
const maxBytesWaiting = 64 * 1_048_576;

interface Delivery {
  reply: string;
  data: Buffer;
  /** When the caller stops waiting, epoch ms. */
  deadline: number;
}

/** Large answers to the inbox of one caller: in flight, and waiting. */
interface Window {
  onTheWay: number;
  waiting: Delivery[];
}

/** Sends the answers of all requests of a process. */
type AnswerSender = ReturnType<typeof openAnswerSender>;

/**
 * Sends answers with flow control. The broker drops a connection on which too many bytes wait to be read, and all its
 * requests with it. So the reader acknowledges each large message on a subject that the message names, and at most
 * `windowBytes` are in flight to a caller. A message without an acknowledgement counts until its deadline.
 */
export const openAnswerSender = ({ nats, inboxPrefix }: Connection) => {
  const inbox = createInbox(inboxPrefix);
  const windows = new Map<string, Window>();
  const onRead = new Map<string, () => void>();
  let bytesWaiting = 0;
  let flushes: (() => void)[] = [];

  const publish = (window: Window, key: string, { reply, data, deadline }: Delivery) => {
    if (data.length < largeBytes) {
      nats.publish(reply, data);
      return;
    }
    const token = randomUUID();
    const timer = setTimeout(() => onRead.get(token)?.(), Math.max(deadline - Date.now(), 0));
    window.onTheWay += data.length;
    onRead.set(token, () => {
      clearTimeout(timer);
      onRead.delete(token);
      window.onTheWay -= data.length;
      proceed(window, key);
    });
    // The reader acknowledges to this reply subject.
    nats.publish(reply, data, { reply: `${inbox}.${token}` });
  };

  const proceed = (window: Window, key: string) => {
    while (window.onTheWay < windowBytes) {
      const next = window.waiting.shift();
      if (!next) break;
      bytesWaiting -= next.data.length;
      // The deadline of an answer may outlive its connection.
      if (next.deadline > Date.now() && !nats.isClosed()) publish(window, key, next);
    }
    if (window.onTheWay === 0) windows.delete(key);
  };

  nats.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      if (!error) onRead.get(message.subject.slice(inbox.length + 1))?.();
    },
  });

  const flushAll = () => {
    const due = flushes;
    flushes = [];
    for (const flush of due) flush();
  };

  return {
    /**
     * Calls `flush` at the end of the current tick, so that all answers leave in one write: a write to the broker costs
     * as much as all other work on a small message.
     */
    atEndOfTick(flush: () => void): void {
      if (flushes.length === 0) setImmediate(flushAll);
      flushes.push(flush);
    },
    /**
     * Sends an answer once the caller has read enough of the large ones before it, and not after its deadline.
     * @returns false where too many bytes wait already
     */
    send(delivery: Delivery): boolean {
      const { reply, data, deadline } = delivery;
      if (deadline <= Date.now()) return true;
      const size = data.length;
      const key = reply.slice(0, reply.lastIndexOf('.'));
      const window = windows.get(key) ?? { onTheWay: 0, waiting: [] };
      if (size < largeBytes || window.onTheWay < windowBytes) {
        if (size >= largeBytes) windows.set(key, window);
        publish(window, key, delivery);
        return true;
      }
      if (bytesWaiting + size > maxBytesWaiting) return false;
      bytesWaiting += size;
      window.waiting.push(delivery);
      return true;
    },
  };
};
