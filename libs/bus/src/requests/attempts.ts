import { CardinalError, unavailable } from '@cardinal/contracts';
import type { Logger } from '@cardinal/runtime';
import { createInbox, type Msg } from 'nats';
import type { Connection } from '../connection.ts';
import { type Call, giveUp } from './call.ts';
import { type Answer, assembler, itemHeaders } from './wire.ts';

const noResponders = 503;
const noRespondersPauseMs = 100;

/** A message on its way: its calls in the order of its items. */
interface Attempt {
  token: string;
  subject: string;
  calls: Call[];
  isRetry: boolean;
  assemble: (message: Msg) => string | undefined;
  timer?: NodeJS.Timeout;
}

export interface Attempts {
  /** Sends calls of one subject as one message and settles each of them by its deadline. */
  send(subject: string, calls: Call[]): void;
  /** Gives up every call that was sent. */
  giveUpAll(): void;
}

/**
 * Sends messages and matches the answers, which come to one inbox. Calls without an answer after half of their time are
 * sent once more, which is safe because every mutation carries a command id; so are those that nobody listened to,
 * 100 ms later. When the connection breaks every call is given up at once.
 */
export const startAttempts = ({ connection, logger }: { connection: Connection; logger: Logger }): Attempts => {
  const { nats } = connection;
  const inbox = createInbox();
  const attempts = new Map<string, Attempt>();
  let lastToken = 0;

  const send = (subject: string, calls: Call[], isRetry = false) => {
    try {
      lastToken += 1;
      const token = lastToken.toString(36);
      connection.assertUp();
      nats.publish(subject, Buffer.from(`[${calls.map((call) => call.body).join(',')}]`), {
        reply: `${inbox}.${token}`,
        headers: itemHeaders(calls.map((call) => call.context)),
      });
      const attempt = { token, subject, calls, isRetry, assemble: assembler() };
      attempts.set(token, attempt);
      watch(attempt);
    } catch (error) {
      giveUp(calls, error instanceof CardinalError ? error : unavailable('The message could not be sent', error));
    }
  };

  /** One timer a message: the next moment at which one of its calls is over or due for its second try. */
  const watch = (attempt: Attempt) => {
    let next = Number.POSITIVE_INFINITY;
    for (const { open, context, retryAt } of attempt.calls) {
      if (open) next = Math.min(next, context.deadline, attempt.isRetry ? next : retryAt);
    }
    if (next === Number.POSITIVE_INFINITY) forget(attempt);
    else attempt.timer = setTimeout(wake, Math.max(next - Date.now(), 0) + 1, attempt);
  };

  const wake = (attempt: Attempt) => {
    const now = Date.now();
    const late = attempt.calls.filter((call) => call.open && call.context.deadline <= now);
    giveUp(late, unavailable(`No answer from ${attempt.subject} in time`));
    const due = attempt.isRetry ? [] : attempt.calls.filter((call) => call.open && call.retryAt <= now);
    for (const call of due) call.retryAt = Number.POSITIVE_INFINITY;
    if (due.length > 0) send(attempt.subject, due, true);
    watch(attempt);
  };

  const forget = (attempt: Attempt) => {
    clearTimeout(attempt.timer);
    attempts.delete(attempt.token);
  };

  const onAnswers = (attempt: Attempt, answers: Answer[]) => {
    for (const answer of answers) {
      const call = attempt.calls[answer.item];
      if (!('error' in answer)) call?.settle({ ok: answer.ok });
      else call?.settle({ error: new CardinalError(answer.error.code, answer.error.message, answer.error.details) });
    }
    if (attempt.calls.every((call) => !call.open)) forget(attempt);
  };

  const onNoResponders = (attempt: Attempt) => {
    forget(attempt);
    const { subject, calls, isRetry } = attempt;
    const inTime = Date.now() + noRespondersPauseMs;
    const again = isRetry ? [] : calls.filter((call) => call.open && call.context.deadline > inTime);
    const over = calls.filter((call) => !again.includes(call));
    giveUp(over, unavailable(`Nobody serves ${subject}`));
    if (again.length > 0) setTimeout(send, noRespondersPauseMs, subject, again, true);
  };

  const onMessage = (message: Msg) => {
    const attempt = attempts.get(message.subject.slice(inbox.length + 1));
    if (!attempt) return;
    if (message.headers?.code === noResponders && message.data.length === 0) {
      onNoResponders(attempt);
      return;
    }
    try {
      const body = attempt.assemble(message);
      if (body !== undefined) onAnswers(attempt, JSON.parse(body));
    } catch {
      // A parser's message would quote the body.
      logger.error({ subject: attempt.subject }, 'an answer could not be read');
      forget(attempt);
      giveUp(attempt.calls, new CardinalError('internal', 'The answer of a service could not be read'));
    }
  };

  const giveUpAll = () => {
    for (const attempt of [...attempts.values()]) {
      forget(attempt);
      giveUp(attempt.calls, unavailable('The connection to the message broker is broken'));
    }
  };

  nats.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      if (error) logger.error({ err: error }, 'the inbox failed');
      else onMessage(message);
    },
  });
  connection.onDown(giveUpAll);
  return { send: (subject, calls) => send(subject, calls), giveUpAll };
};
