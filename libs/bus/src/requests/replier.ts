import type { Logger } from '@cardinal/runtime';
import type { Connection } from '../connection.ts';
import type { AnswerSender } from './window.ts';
import { capacityOf, groupBySize, maxReplyBytes, partsOf, type TravellingError } from './wire.ts';

type Outcome = { ok: unknown } | { error: TravellingError };

interface Answer {
  item: number;
  text: string;
  /** When its caller stops waiting, epoch ms. */
  deadline: number;
}

/**
 * Answers the items of one message as they get ready, so that a slow one holds up no other; those that are ready in one
 * tick share a message. A reply of more than `maxReplyBytes` is `internal`; one that finds too many large ones waiting
 * for their readers is `unavailable`.
 */
export const replier = (
  deps: { connection: Connection; sender: AnswerSender; logger: Logger },
  { subject, reply }: { subject: string; reply: string },
) => {
  const { connection, sender, logger } = deps;
  let ready: Answer[] = [];

  const send = (answers: Answer[], capacity: number): boolean => {
    const parts = partsOf(Buffer.from(`[${answers.map(({ text }) => text).join(',')}]`), capacity);
    return sender.send({ reply, parts, deadline: Math.max(...answers.map(({ deadline }) => deadline)) });
  };

  const flush = () => {
    const answers = ready;
    ready = [];
    try {
      const capacity = capacityOf(connection.nats.info);
      for (const group of groupBySize(answers, ({ text }) => Buffer.byteLength(text), capacity)) {
        if (send(group, capacity)) continue;
        logger.warn({ subject }, 'an answer was refused: too much waits to be read');
        const error = { code: 'unavailable' as const, message: 'Too many large answers wait to be read' };
        send(
          group.map((answer) => ({ ...answer, text: JSON.stringify({ item: answer.item, error }) })),
          capacity,
        );
      }
    } catch (error) {
      logger.warn({ err: error, subject }, 'an answer could not be sent');
    }
  };

  return (item: number, outcome: Outcome, deadline: number): void => {
    let text = JSON.stringify({ item, ...outcome });
    if (Buffer.byteLength(text) > maxReplyBytes) {
      logger.error({ subject, bytes: Buffer.byteLength(text) }, 'a reply is too large for the bus');
      text = JSON.stringify({ item, error: { code: 'internal', message: 'Internal error' } });
    }
    if (ready.length === 0) setImmediate(flush);
    ready.push({ item, text, deadline });
  };
};
