import { randomUUID } from 'node:crypto';
import { createInbox } from 'nats';
import type { Connection } from '../connection.ts';
import type { Part } from './wire.ts';

/** From here on an answer counts, bytes; smaller ones pass by, so that a small read never waits behind large ones. */
const largeBytes = 64 * 1_024;
/** Large answers on their way to one caller, bytes: far below what the broker keeps for a slow reader. */
const windowBytes = 4 * 1_048_576;
/** Large answers that may wait for that in this process, bytes, whoever they are for. */
const mostBytesWaiting = 64 * 1_048_576;

interface Delivery {
  reply: string;
  /** The messages of an answer. */
  parts: Part[];
  /** When nobody waits for it any more, epoch ms. */
  deadline: number;
}

/** Large answers on their way to the inbox of one caller, and those that wait for their turn. */
interface Window {
  onTheWay: number;
  waiting: Delivery[];
}

export type AnswerSender = ReturnType<typeof openAnswerSender>;

/**
 * Flow control for answers. The broker drops a connection for which too much waits to be read, and everyone's requests
 * with it. So large messages name a subject that the reader tells of each that it has read, and no more of them are on
 * the way to a caller than `windowBytes`. A message that nobody tells of counts until its deadline.
 */
export const openAnswerSender = ({ nats, inboxPrefix }: Connection) => {
  const inbox = createInbox(inboxPrefix);
  const windows = new Map<string, Window>();
  const onRead = new Map<string, () => void>();
  let bytesWaiting = 0;

  const publish = (window: Window, key: string, { reply, parts, deadline }: Delivery) => {
    for (const { data, headers } of parts) {
      if (data.length < largeBytes) {
        nats.publish(reply, data, headers ? { headers } : {});
        continue;
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
      nats.publish(reply, data, { reply: `${inbox}.${token}`, ...(headers ? { headers } : {}) });
    }
  };

  const proceed = (window: Window, key: string) => {
    while (window.onTheWay < windowBytes) {
      const next = window.waiting.shift();
      if (!next) break;
      bytesWaiting -= sizeOf(next);
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

  return {
    /**
     * Sends an answer, once the caller has read enough of the large ones before it; not at all after its deadline.
     * @returns false where too much waits already
     */
    send(delivery: Delivery): boolean {
      const { reply, deadline } = delivery;
      if (deadline <= Date.now()) return true;
      const size = sizeOf(delivery);
      const key = reply.slice(0, reply.lastIndexOf('.'));
      const window = windows.get(key) ?? { onTheWay: 0, waiting: [] };
      if (size < largeBytes || window.onTheWay < windowBytes) {
        if (size >= largeBytes) windows.set(key, window);
        publish(window, key, delivery);
        return true;
      }
      if (bytesWaiting + size > mostBytesWaiting) return false;
      bytesWaiting += size;
      window.waiting.push(delivery);
      return true;
    },
  };
};

const sizeOf = ({ parts }: Delivery): number => parts.reduce((sum, { data }) => sum + data.length, 0);
