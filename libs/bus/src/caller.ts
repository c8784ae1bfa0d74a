import { CardinalError, unavailable } from '@cardinal/contracts';
import { currentContext, type Logger, newContext, type RequestContext } from '@cardinal/runtime';
import { createInbox, type Msg } from 'nats';
import type { Connection } from './connection.ts';
import { type Answer, assembler, capacityOf, groupBySize, itemHeaders, sizeOfItem } from './wire.ts';

const noResponders = 503;
const noRespondersPauseMs = 100;

export interface Caller {
  /**
   * Sends a request and answers what the server answered, both as JSON values. Requests made of one subject in one tick
   * share a message.
   * @throws CardinalError the server's own error, or `unavailable` where it gave no answer in time
   */
  call(subject: string, request: unknown, timeoutMs: number): Promise<unknown>;
  /** Gives up every call still open. */
  close(): void;
}

interface Call {
  body: string;
  context: RequestContext;
  size: number;
  /** When an unanswered call is sent a second time, epoch ms. */
  retryAt: number;
  open: boolean;
  settle(outcome: { ok: unknown } | { error: CardinalError }): void;
}

/** A message on its way: its calls in the order of its items. */
interface Attempt {
  subject: string;
  calls: Call[];
  isRetry: boolean;
  assemble: (message: Msg) => string | undefined;
  timer?: NodeJS.Timeout;
}

/**
 * The calling half of request-reply. A call that has no answer after half of its time is sent once more, which is safe
 * because every mutation carries a command id; so is one that nobody listened to, 100 ms later.
 */
export const startCaller = ({ connection, logger }: { connection: Connection; logger: Logger }): Caller => {
  const { nats } = connection;
  const inbox = createInbox();
  const attempts = new Map<string, Attempt>();
  let waiting = new Map<string, Call[]>();
  let lastToken = 0;

  const capacity = () => capacityOf(nats.info?.max_payload ?? 1_048_576);

  const flush = () => {
    const bySubject = waiting;
    waiting = new Map();
    for (const [subject, calls] of bySubject) {
      for (const group of groupBySize(calls, (call) => call.size, capacity())) send(subject, group, false);
    }
  };

  const send = (subject: string, calls: Call[], isRetry: boolean) => {
    lastToken += 1;
    const token = lastToken.toString(36);
    const attempt: Attempt = { subject, calls, isRetry, assemble: assembler() };
    try {
      connection.assertUp();
      nats.publish(subject, Buffer.from(`[${calls.map((call) => call.body).join(',')}]`), {
        reply: `${inbox}.${token}`,
        headers: itemHeaders(calls.map((call) => call.context)),
      });
    } catch (error) {
      giveUp(calls, error instanceof CardinalError ? error : unavailable('The message could not be sent', error));
      return;
    }
    attempts.set(token, attempt);
    watch(token, attempt);
  };

  /** One timer a message: the next moment at which one of its calls is over or due for its second try. */
  const watch = (token: string, attempt: Attempt) => {
    clearTimeout(attempt.timer);
    let next = Number.POSITIVE_INFINITY;
    for (const call of attempt.calls) {
      if (!call.open) continue;
      next = Math.min(next, call.context.deadline, attempt.isRetry ? next : call.retryAt);
    }
    if (next === Number.POSITIVE_INFINITY) attempts.delete(token);
    else attempt.timer = setTimeout(() => wake(token, attempt), Math.max(next - Date.now(), 0) + 1);
  };

  const wake = (token: string, attempt: Attempt) => {
    const now = Date.now();
    const open = attempt.calls.filter((call) => call.open);
    giveUp(
      open.filter((call) => call.context.deadline <= now),
      unavailable(`No answer from ${attempt.subject} in time`),
    );
    const due = attempt.isRetry ? [] : open.filter((call) => call.open && call.retryAt <= now);
    for (const call of due) call.retryAt = Number.POSITIVE_INFINITY;
    if (due.length > 0) send(attempt.subject, due, true);
    watch(token, attempt);
  };

  const onAnswer = (token: string, attempt: Attempt, message: Msg) => {
    const body = attempt.assemble(message);
    if (body === undefined) return;
    for (const answer of JSON.parse(body) as Answer[]) {
      const call = attempt.calls[answer.item];
      if (!call?.open) continue;
      if ('error' in answer) {
        const { code, message: text, details } = answer.error;
        call.settle({ error: new CardinalError(code, text, details) });
      } else call.settle({ ok: answer.ok });
    }
    if (attempt.calls.every((call) => !call.open)) forget(token, attempt);
  };

  const onNoResponders = (token: string, attempt: Attempt) => {
    forget(token, attempt);
    const error = unavailable(`Nobody serves ${attempt.subject}`);
    const open = attempt.calls.filter((call) => call.open);
    const again = attempt.isRetry
      ? []
      : open.filter((call) => call.context.deadline > Date.now() + noRespondersPauseMs);
    giveUp(
      open.filter((call) => !again.includes(call)),
      error,
    );
    if (again.length > 0) setTimeout(() => send(attempt.subject, again, true), noRespondersPauseMs);
  };

  const forget = (token: string, attempt: Attempt) => {
    clearTimeout(attempt.timer);
    attempts.delete(token);
  };

  const giveUpAll = () => {
    const error = unavailable('The connection to the message broker is broken');
    for (const [token, attempt] of attempts) {
      forget(token, attempt);
      giveUp(attempt.calls, error);
    }
  };

  nats.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      if (error) {
        logger.error({ err: error }, 'the inbox failed');
        return;
      }
      const token = message.subject.slice(inbox.length + 1);
      const attempt = attempts.get(token);
      if (!attempt) return;
      try {
        if (message.headers?.code === noResponders && message.data.length === 0) onNoResponders(token, attempt);
        else onAnswer(token, attempt, message);
      } catch (cause) {
        logger.error({ err: cause, subject: attempt.subject }, 'an answer could not be read');
        forget(token, attempt);
        giveUp(attempt.calls, new CardinalError('internal', 'The answer of a service could not be read'));
      }
    },
  });
  connection.onDown(giveUpAll);

  return {
    call: (subject, request, timeoutMs) =>
      new Promise((resolve, reject) => {
        connection.assertUp();
        const call = newCall(request, timeoutMs, resolve, reject);
        if (call.size > capacity()) {
          throw new CardinalError('payload_too_large', 'The request is too large for a message');
        }
        const queue = waiting.get(subject);
        if (queue) queue.push(call);
        else {
          if (waiting.size === 0) setImmediate(flush);
          waiting.set(subject, [call]);
        }
      }),
    close: giveUpAll,
  };
};

const newCall = (
  request: unknown,
  timeoutMs: number,
  resolve: (reply: unknown) => void,
  reject: (error: CardinalError) => void,
): Call => {
  const now = Date.now();
  const from = currentContext() ?? newContext({ timeoutMs });
  const context = { ...from, deadline: Math.min(from.deadline, now + timeoutMs) };
  const body = JSON.stringify(request);
  const call: Call = {
    body,
    context,
    size: sizeOfItem(body, context),
    retryAt: now + (context.deadline - now) / 2,
    open: true,
    settle(outcome) {
      if (!call.open) return;
      call.open = false;
      if ('ok' in outcome) resolve(outcome.ok);
      else reject(outcome.error);
    },
  };
  return call;
};

const giveUp = (calls: Call[], error: CardinalError): void => {
  for (const call of calls) call.settle({ error });
};
