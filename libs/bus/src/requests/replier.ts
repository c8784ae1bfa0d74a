import type { Document } from '@cardinal/contracts';
import type { Logger } from '@cardinal/runtime';
import type { Connection } from '../connection.ts';
import type { EndOfTick } from '../end-of-tick.ts';
import type { AnswerSender } from './window.ts';
import {
  capacityOf,
  frameOf,
  groupBySize,
  maxReplyBytes,
  partsOf,
  sizeOfAnswer,
  type TravellingError,
  type WrittenAnswer,
  writeAnswer,
} from './wire.ts';

type Outcome = { document: Document } | { error: TravellingError };

interface Ready extends WrittenAnswer {
  item: number;
  size: number;
  /** When its caller stops waiting, epoch ms. */
  deadline: number;
}

const readyOf = (item: number, outcome: Outcome, deadline: number): Ready => {
  const written = writeAnswer({ item, ...outcome });
  return { ...written, item, size: sizeOfAnswer(written), deadline };
};

const internal = { code: 'internal' as const, message: 'Internal error' };

/**
 * Answers the items of one message as they get ready, so that a slow one holds up no other; those that are ready in one
 * tick share a message. A reply of more than `maxReplyBytes` is `internal`; one that finds too many large ones waiting
 * for their readers is `unavailable`.
 */
export const replier = (
  deps: { connection: Connection; sender: AnswerSender; atEndOfTick: EndOfTick; logger: Logger },
  { subject, reply }: { subject: string; reply: string },
) => {
  const { connection, sender, atEndOfTick, logger } = deps;
  let ready: Ready[] = [];

  const send = (answers: Ready[], capacity: number): boolean => {
    const parts = partsOf(frameOf(answers), capacity);
    return sender.send({ reply, parts, deadline: Math.max(...answers.map(({ deadline }) => deadline)) });
  };

  const flush = () => {
    const answers = ready;
    ready = [];
    try {
      const capacity = capacityOf(connection.nats.info);
      for (const group of groupBySize(answers, ({ size }) => size, capacity)) {
        if (send(group, capacity)) continue;
        logger.warn({ subject }, 'an answer was refused: too much waits to be read');
        const error = { code: 'unavailable' as const, message: 'Too many large answers wait to be read' };
        send(
          group.map(({ item, deadline }) => readyOf(item, { error }, deadline)),
          capacity,
        );
      }
    } catch (error) {
      logger.warn({ err: error, subject }, 'an answer could not be sent');
    }
  };

  return (item: number, outcome: Outcome, deadline: number): void => {
    let answer = readyOf(item, outcome, deadline);
    if (answer.size > maxReplyBytes) {
      logger.error({ subject, bytes: answer.size }, 'a reply is too large for the bus');
      answer = readyOf(item, { error: internal }, deadline);
    }
    if (ready.length === 0) atEndOfTick(flush);
    ready.push(answer);
  };
};
