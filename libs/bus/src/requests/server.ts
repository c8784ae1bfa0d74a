import { CardinalError, type RequestContract, unavailable } from '@cardinal/contracts';
import { type Logger, newContext, runInContext, span } from '@cardinal/runtime';
import type { Msg, Subscription } from 'nats';
import type { z } from 'zod';
import type { Connection } from '../connection.ts';
import type { InHand } from '../in-hand.ts';
import { replier } from './replier.ts';
import { readItemHeaders, travelling } from './wire.ts';

const timeoutWithoutDeadlineMs = 10_000;

/** Answers one request of a contract. */
export type Handler<Request extends z.ZodType, Reply extends z.ZodType> = (
  request: z.output<Request>,
) => Promise<z.input<Reply>>;

/**
 * The serving half of request-reply: takes the subject's messages in the queue group of its service and runs every item
 * at once, each in its own context, with its own deadline and span.
 */
export const serve = <Request extends z.ZodType, Reply extends z.ZodType>(
  deps: { connection: Connection; logger: Logger; inHand: InHand },
  contract: RequestContract<Request, Reply>,
  handler: Handler<Request, Reply>,
): Subscription => {
  const { connection, logger, inHand } = deps;
  const { subject } = contract;
  const attributes = { 'messaging.system': 'nats', 'messaging.destination.name': subject };

  const run = async (body: unknown, deadline: number): Promise<unknown> => {
    if (deadline <= Date.now()) throw unavailable('The deadline passed before the request was read');
    const request = contract.request.safeParse(body);
    if (!request.success) throw new CardinalError('invalid_request', `Malformed request of ${subject}`);
    return span(subject, attributes, () => handler(request.data), 'server');
  };

  const errorOf = (error: unknown) => {
    if (error instanceof CardinalError) return travelling(error);
    logger.error({ err: error, subject }, 'a handler failed');
    return { code: 'internal' as const, message: 'Internal error' };
  };

  const onMessage = (message: Msg) => {
    const reply = replier(connection, message, logger);
    const bodies = readBodies(message);
    if (!bodies) {
      reply(0, { error: { code: 'invalid_request', message: 'The message is not a JSON array' } });
      return;
    }
    const contextOf = readItemHeaders(message.headers);
    bodies.forEach((body, item) => {
      const from = contextOf(item);
      const deadline = Number.isNaN(from.deadline) ? Date.now() + timeoutWithoutDeadlineMs : from.deadline;
      const context = { ...newContext({ ...from, timeoutMs: 0 }), deadline };
      inHand.track(
        runInContext(context, () =>
          run(body, deadline).then(
            (ok) => reply(item, { ok }),
            (error) => reply(item, { error: errorOf(error) }),
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

const readBodies = (message: Msg): unknown[] | undefined => {
  try {
    const body: unknown = JSON.parse(message.string());
    return Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
};
