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

/** What requests are taken from and answers are sent through. */
export interface Serving {
  connection: Connection;
  /** One for all that a process serves. */
  sender: AnswerSender;
  logger: Logger;
}

interface Ready extends WrittenAnswer {
  /** When its caller stops waiting, epoch ms. */
  deadline: number;
}

const readyOf = (item: number, outcome: Outcome, deadline: number): Ready => ({
  ...writeAnswer({ item, ...outcome }),
  deadline,
});

/**
 * Answers the items of one message as they get ready, so a slow one does not delay the others; those that are ready in
 * one tick share a message. A reply that fits into none is `internal`, an error that does not fit loses its details; a
 * reply that finds too many large ones waiting for their readers is `unavailable`.
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
        logger.warn({ subject }, 'an answer was refused: too much waits to be read');
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
    // Nothing else will be ready in this tick.
    if (connection.inHand() === 0) flush();
    else if (ready.length === 1) sender.atEndOfTick(flush);
  };
};

/** From this size on an answer is subject to flow control, bytes; small reads never wait behind large ones. */
const largeBytes = 64 * 1_024;
/** Large answers on their way to one caller, bytes: far below what the broker keeps for a slow reader. */
const windowBytes = 4 * 1_048_576;
/** Large answers that may wait for that in this process, bytes, for all callers together. */
const maxBytesWaiting = 64 * 1_048_576;

interface Delivery {
  reply: string;
  data: Buffer;
  /** When the caller gives up, epoch ms. */
  deadline: number;
}

/** Large answers on their way to the inbox of one caller, and those that wait for their turn. */
interface Window {
  onTheWay: number;
  waiting: Delivery[];
}

/** Sends the answers of everything that a process serves. */
type AnswerSender = ReturnType<typeof openAnswerSender>;

/**
 * Flow control for answers. The broker drops a connection on which too much waits to be read, and with it everyone's
 * requests. So the reader acknowledges each large message on a subject that it names, and no more than `windowBytes`
 * are on the way to a caller. A message without an acknowledgement counts until its deadline.
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
    // nats.js sends a reply subject with a message that carries one.
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
     * Has answers sent when everything is read that this tick of the event loop brings, all in one write: a write to
     * the broker costs as much as all other work on a small message.
     */
    atEndOfTick(flush: () => void): void {
      if (flushes.length === 0) setImmediate(flushAll);
      flushes.push(flush);
    },
    /**
     * Sends an answer, once the caller has read enough of the large ones before it; not at all after its deadline.
     * @returns false where too much waits already
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
