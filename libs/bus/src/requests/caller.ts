import { randomUUID } from 'node:crypto';
import { CardinalError, type Document, type RequestContract, unavailable } from '@cardinal/contracts';
import { afterMicrotasks, currentContext, type Logger, newContext } from '@cardinal/runtime';
import { createInbox, type Msg } from 'nats';
import type { Connection } from '../connection.ts';
import { inboxes } from '../names.ts';
import { type Attempt, type Call, contextOf, errorOf, rejectAll, type Tries } from './call.ts';
import { type Answer, capacityOf, groupBySize, itemHeaders, readAnswers, sizeOfItem } from './wire.ts';

const noResponders = 503;
const firstPauseMs = 100;
const longestPauseMs = 400;
/** How long a subject without a listener is retried, ms: a service whose connection broke is back by then. */
const unheardMs = 3_000;
/** The same after our own connection was down, as those of other services probably were too. */
const unheardAfterOutageMs = 10_000;

/** Most calls that wait for the connection to return, and their bytes. Further ones are refused. */
const maxWaiting = 2_000;
const maxBytesWaiting = 16 * 1_048_576;

/**
 * Second messages per call, and how many may be saved up for calls in flight when a service breaks. A service that is
 * slow for everyone must not get every call twice.
 */
const retryShare = 0.1;
const maxRetriesSaved = 500;

/**
 * Sends requests. Requests of one subject in one tick share a message, or those in one run of code while nothing else
 * is in flight. Answers arrive at one inbox. A message may be sent again: once, when a call has no answer after half of
 * its time; with growing pauses, when there is no listener; and after the connection broke and returned. That is safe
 * for commands, which are recognized when repeated. A call that sets a state runs in one message at a time: each
 * expires before the next one leaves, and only the last answer counts (ADR 0041). At most a tenth of all calls are
 * repeated for want of an answer. Calls made while the connection is down wait for it. A call is `unavailable` only
 * after its deadline, or where its service stays away.
 */
export const startCaller = ({ connection, logger }: { connection: Connection; logger: Logger }) => {
  const { nats } = connection;
  let waiting = new Map<string, Call[]>();
  const open = { calls: 0, bytes: 0 };
  const inbox = createInbox(connection.inboxPrefix);
  const attempts = new Map<string, Attempt>();
  let retriesLeft = maxRetriesSaved;

  const send = (subject: string, calls: Call[], tries: Tries = { isRetry: false }) => {
    // Random: services know this inbox, and must not be able to answer calls of others.
    const token = randomUUID();
    try {
      if (connection.isUp()) {
        nats.publish(subject, Buffer.from(`[${calls.map((call) => call.body).join(',')}]`), {
          reply: `${inbox}.${token}`,
          headers: itemHeaders(calls.map(contextOf)),
        });
      }
      const attempt = { token, subject, calls, tries, wasSent: connection.isUp() };
      attempts.set(token, attempt);
      for (const call of calls) call.sentIn = attempt;
      watch(attempt);
    } catch (error) {
      rejectAll(calls, unavailable('The message could not be sent', error));
    }
  };

  /** One timer per message, for the next deadline or second message of its calls. */
  const watch = (attempt: Attempt) => {
    let next = Number.POSITIVE_INFINITY;
    for (const { open, context, retryAt } of attempt.calls) {
      if (open) next = Math.min(next, context.deadline, attempt.tries.isRetry ? next : retryAt);
    }
    if (next === Number.POSITIVE_INFINITY) forget(attempt);
    else attempt.timer = setTimeout(wake, Math.max(next - Date.now(), 0) + 1, attempt);
  };

  const wake = (attempt: Attempt) => {
    const now = Date.now();
    const late = attempt.calls.filter((call) => call.open && call.context.deadline <= now);
    rejectAll(late, unavailable(`No answer from ${attempt.subject} in time`));
    const slow = attempt.tries.isRetry ? [] : attempt.calls.filter((call) => call.open && call.retryAt <= now);
    for (const call of slow) call.retryAt = Number.POSITIVE_INFINITY;
    const due = slow.slice(0, Math.floor(retriesLeft));
    retriesLeft -= due.length;
    // While the connection is down nothing is repeated: everything is sent once it is up.
    for (const call of due) delete call.sentIn;
    if (due.length > 0 && connection.isUp()) send(attempt.subject, due, { isRetry: true });
    watch(attempt);
  };

  const forget = (attempt: Attempt) => {
    clearTimeout(attempt.timer);
    attempts.delete(attempt.token);
  };

  const onAnswers = (attempt: Attempt, answers: Answer[]) => {
    for (const answer of answers) {
      const call = attempt.calls[answer.item];
      // Ignores an answer to an earlier message: the later one, still in flight, would repeat its change after the
      // caller's next write.
      if (call?.setsState && call.sentIn !== attempt) continue;
      if (!('error' in answer)) call?.settle(answer);
      else call?.settle({ error: errorOf(answer.error, attempt.subject) });
    }
    if (attempt.calls.every((call) => !call.open)) forget(attempt);
  };

  const onNoResponders = (attempt: Attempt) => {
    forget(attempt);
    const { subject, calls, tries } = attempt;
    const now = Date.now();
    const { since, pauseMs } = tries.unheard ?? { since: now, pauseMs: firstPauseMs };
    const until = Math.max(since + unheardMs, connection.backSince() + unheardAfterOutageMs);
    const again = calls.filter((call) => call.open && now + pauseMs < Math.min(call.context.deadline, until));
    const over = calls.filter((call) => !again.includes(call));
    rejectAll(over, unavailable(`Nobody serves ${subject}`));
    if (again.length === 0) return;
    setTimeout(send, pauseMs, subject, again, {
      ...tries,
      unheard: { since, pauseMs: Math.min(pauseMs * 2, longestPauseMs) },
    });
  };

  const onMessage = (message: Msg) => {
    // Acknowledges a large message to its sender, see `openAnswerSender`. It replies to no other subject.
    if (message.reply?.startsWith(inboxes)) message.respond();
    const attempt = attempts.get(message.subject.slice(inbox.length + 1));
    if (!attempt) return;
    if (message.headers?.code === noResponders && message.data.length === 0) {
      onNoResponders(attempt);
      return;
    }
    try {
      onAnswers(attempt, readAnswers(message.data));
    } catch {
      // A parser's message would quote the body.
      logger.error({ subject: attempt.subject }, 'an answer could not be read');
      forget(attempt);
      rejectAll(attempt.calls, new CardinalError('internal', 'The answer of a service could not be read'));
    }
  };

  const sendAllAgain = () => {
    for (const attempt of [...attempts.values()]) {
      const open = attempt.calls.filter((call) => call.open);
      // A call that sets a state may still run: it waits for its second message.
      const calls = open.filter((call) => !(call.setsState && call.sentIn?.wasSent));
      if (calls.length === open.length) forget(attempt);
      // When it is sent again, should this answer be lost as well.
      for (const call of calls) call.retryAt = (Date.now() + call.context.deadline) / 2;
      if (calls.length > 0) send(attempt.subject, calls);
    }
  };

  nats.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      if (error) logger.error({ err: error }, 'the inbox failed');
      else onMessage(message);
    },
  });
  connection.onBack(sendAllAgain);

  const capacity = () => capacityOf(nats.info);

  const flush = () => {
    const bySubject = waiting;
    waiting = new Map();
    for (const [subject, calls] of bySubject) {
      for (const group of groupBySize(calls, capacity())) {
        retriesLeft = Math.min(retriesLeft + group.length * retryShare, maxRetriesSaved);
        send(subject, group);
      }
    }
  };

  const enqueue = (subject: string, call: Call) => {
    if (call.size > capacity()) {
      throw new CardinalError('payload_too_large', 'The request is too large for a message of the bus');
    }
    const queue = waiting.get(subject);
    if (waiting.size === 0) {
      // A lone call does not wait for the end of the tick.
      if (open.calls === 0) afterMicrotasks(flush);
      else setImmediate(flush);
    }
    if (queue) queue.push(call);
    else waiting.set(subject, [call]);
  };

  return {
    /**
     * Sends a request, a JSON value, and returns the reply.
     * @param timeoutMs the longest wait, ms
     * @throws CardinalError the server's own error, or `unavailable` without an answer in time
     */
    call: ({ subject, setsState = false }: RequestContract, request: unknown, timeoutMs: number) =>
      new Promise<Document>((resolve, reject) => {
        if (nats.isClosed()) throw unavailable('The connection to the message broker was closed');
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
        const isTooMuch = open.calls >= maxWaiting || open.bytes + call.size > maxBytesWaiting;
        if (isTooMuch && !connection.isUp()) throw unavailable('Too many requests wait for the message broker');
        enqueue(subject, call);
        open.calls += 1;
        open.bytes += call.size;
      }),
    /** Abandons every call in flight. */
    close(): void {
      for (const attempt of [...attempts.values()]) {
        forget(attempt);
        rejectAll(attempt.calls, unavailable('The connection to the message broker was closed'));
      }
    },
  };
};
