import { CardinalError, Document, documentOf, type RequestContract, unavailable } from '@cardinal/contracts';
import { newContext, type RequestContext, requestMeter, runInContext, span } from '@cardinal/runtime';
import type { Msg, Subscription } from 'nats';
import type { z } from 'zod';
import { inboxes } from '../names.ts';
import { internal, replier, type Serving } from './answers.ts';
import { malformedRequest, type Outcome, readItemHeaders, type TravellingError } from './wire.ts';

const timeoutWithoutDeadlineMs = 10_000;

/** Requests that a process works on at once; those over it are refused, as they would only wait for their deadlines. */
const maxInHand = 2_000;
const meter = requestMeter({ name: 'cardinal_bus_request', label: 'subject', help: 'Requests of the bus' });
const soon = () => Date.now() + timeoutWithoutDeadlineMs;

/** Answers one request of a contract, with an object or with a document of it that is written already. */
export type Handler<Request extends z.ZodType, Reply extends z.ZodType> = (
  request: z.output<Request>,
) => Promise<z.input<Reply> | Document<z.output<Reply>>>;

/**
 * The serving half of request-reply: takes the subject's messages in the queue group of its service and runs every item
 * at once, each in its own context, with its own deadline and span.
 */
export const serve = <Request extends z.ZodType, Reply extends z.ZodType>(
  deps: Serving,
  contract: RequestContract<Request, Reply>,
  handler: Handler<Request, Reply>,
): Subscription => {
  const { connection, logger } = deps;
  const { subject, setsState } = contract;
  const attributes = { 'messaging.system': 'nats', 'messaging.destination.name': subject };

  const run = async (body: unknown, deadline: number): Promise<Document> => {
    if (connection.inHand() >= maxInHand) throw unavailable('The service has too many requests in hand');
    if (deadline <= Date.now()) throw unavailable('The deadline passed before the request was read');
    const request = contract.request.safeParse(body);
    if (!request.success) throw new CardinalError('invalid_request', malformedRequest(subject));
    const reply = await span(subject, attributes, () => handler(request.data), 'server');
    return reply instanceof Document ? reply : documentOf(reply as object);
  };

  const errorOf = (error: unknown): TravellingError => {
    if (error instanceof CardinalError) return { code: error.code, message: error.message, details: error.details };
    logger.error({ err: error, subject }, 'a handler failed');
    return internal;
  };

  const onMessage = (message: Msg) => {
    // The broker lets callers name any subject for the answer, those of another service's requests included.
    if (!message.reply?.startsWith(inboxes)) {
      logger.warn({ subject, reply: message.reply }, 'a request that is to be answered to no inbox is ignored');
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
      // The caller may have sent it again: the result of that one must not be undone, and no one waits for this answer.
      if (setsState && deadline <= Date.now()) return;
      const context = {
        ...newContext({ ...from, timeoutMs: 0 }),
        deadline,
        ...callerOf(body),
        ...(setsState && { voidAtDeadline: true }),
      };
      const begunAt = performance.now();
      meter.began();
      const answer = (outcome: Outcome) => {
        meter.ended(subject, 'error' in outcome ? outcome.error.code : 'ok', performance.now() - begunAt);
        reply(item, outcome, deadline);
      };
      connection.track(
        runInContext(context, () =>
          run(body, deadline).then(
            (document) => answer({ document }),
            (failure) => answer({ error: errorOf(failure) }),
          ),
        ),
      );
    });
  };

  return connection.nats.subscribe(subject, {
    queue: subject.split('.')[1] ?? subject,
    callback: (error, message) => {
      if (error) logger.error({ err: error, subject }, 'the subscription failed');
      else onMessage(message);
    },
  });
};

/** Whose request it is, for who shares what is scarce. */
const callerOf = (body: unknown): Pick<RequestContext, 'caller'> => {
  const { workspace_id: workspaceId, user_id: userId = '' } = Object(body) as Record<string, unknown>;
  return typeof workspaceId === 'string' ? { caller: { workspaceId, userId: String(userId) } } : {};
};

const readBodies = (message: Msg): unknown[] | undefined => {
  try {
    const body: unknown = JSON.parse(message.string());
    return Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
};
