import type { RequestContract } from '@cardinal/contracts';
import type { Msg, Subscription } from 'nats';
import { inboxes, serviceOf } from '../names.ts';
import { replier, type Serving } from './answers.ts';
import { readItemHeaders } from './wire.ts';
import type { Work } from './work.ts';

const timeoutWithoutDeadlineMs = 10_000;
const soon = () => Date.now() + timeoutWithoutDeadlineMs;

/**
 * Serves the requests of a contract: receives the subject's messages in the queue group of its service and runs all
 * items of a message at once.
 */
export const serve = (deps: Serving, contract: RequestContract, work: Work): Subscription => {
  const { subject, setsState } = contract;
  const { connection, logger } = deps;

  const onMessage = (message: Msg) => {
    // A caller can name any reply subject, also that of another service's requests.
    if (!message.reply?.startsWith(inboxes)) {
      logger.warn({ subject, reply: message.reply }, 'a request is ignored whose reply subject is no inbox');
      return;
    }
    const reply = replier(deps, { subject, reply: message.reply });
    const bodies = readBodies(message);
    if (!bodies) {
      reply(0, { error: { code: 'invalid_request', message: 'The message is not a JSON array' } }, soon());
      return;
    }
    const contextOf = readItemHeaders(message.headers);
    const waited = setsState ? connection.waitedAtMost() : 0;
    bodies.forEach((body, item) => {
      const from = contextOf(item);
      const deadline = Number.isNaN(from.deadline) ? soon() : from.deadline - waited;
      // The caller may have sent it again by now, and nobody waits for this answer: it must not undo that request's
      // result.
      if (setsState && deadline <= Date.now()) return;
      void work(body, { ...from, deadline }).then((outcome) => reply(item, outcome, deadline));
    });
  };

  return connection.nats.subscribe(subject, {
    queue: serviceOf(contract),
    callback: (error, message) => {
      if (error) logger.error({ err: error, subject }, 'the subscription failed');
      else onMessage(message);
    },
  });
};

const readBodies = (message: Msg): unknown[] | undefined => {
  try {
    const body: unknown = JSON.parse(message.string());
    return Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
};
