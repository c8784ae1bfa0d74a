import { CardinalError, Document, documentOf, type RequestContract, unavailable } from '@cardinal/contracts';
import { type Logger, newContext, type RequestContext, requestMeter, runInContext, span } from '@cardinal/runtime';
import type { z } from 'zod';
import type { Connection } from '../connection.ts';
import { isPing } from '../names.ts';
import { internal, malformedRequest, type Outcome, type TravellingError } from './wire.ts';

/** Most requests in hand per service. Further ones are refused: they would only wait for their deadlines. */
const maxInHand = 2_000;
const meter = requestMeter({ name: 'cardinal_bus_request', label: 'subject', help: 'Requests of the bus' });

/** Answers one request of a contract, with an object or with a document that is JSON text already. */
export type Handler<Request extends z.ZodType, Reply extends z.ZodType> = (
  request: z.output<Request>,
) => Promise<z.input<Reply> | Document<z.output<Reply>>>;

/** The caller's context. */
type Origin = Pick<RequestContext, 'requestId' | 'traceparent' | 'deadline'>;

/** Runs one request, a JSON value. @returns the outcome; never rejects */
export type Work = (body: unknown, from: Origin) => Promise<Outcome>;

/**
 * Makes the function that runs requests of a contract, from the broker or from this process. Each is parsed, has its
 * own context, deadline and span, counts as in hand and is measured.
 */
export const workOf = <Request extends z.ZodType, Reply extends z.ZodType>(
  { connection, logger }: { connection: Pick<Connection, 'inHand' | 'track'>; logger: Logger },
  { subject, setsState, request: schema }: RequestContract<Request, Reply>,
  handler: Handler<Request, Reply>,
): Work => {
  const attributes = { 'messaging.system': 'nats', 'messaging.destination.name': subject };

  const run = async (body: unknown, deadline: number): Promise<Document> => {
    if (connection.inHand() >= maxInHand) throw unavailable('The service has too many requests in hand');
    if (deadline <= Date.now()) throw unavailable('The deadline passed before the request was read');
    const request = schema.safeParse(body);
    if (!request.success) throw new CardinalError('invalid_request', malformedRequest(subject));
    const handle = () => handler(request.data);
    const reply = await (isPing(subject) ? handle() : span(subject, attributes, handle, 'server'));
    return reply instanceof Document ? reply : documentOf(reply as object);
  };

  const errorOf = (error: unknown): TravellingError => {
    if (error instanceof CardinalError) return { code: error.code, message: error.message, details: error.details };
    logger.error({ err: error, subject }, 'a handler failed');
    return internal;
  };

  return (body, from) => {
    const context = {
      ...newContext({ ...from, timeoutMs: 0 }),
      deadline: from.deadline,
      ...callerOf(body),
      ...(setsState && { voidAtDeadline: true }),
    };
    const begunAt = performance.now();
    const measure = meter.began();
    const ended = (outcome: Outcome): Outcome => {
      measure(subject, 'error' in outcome ? outcome.error.code : 'ok', performance.now() - begunAt);
      return outcome;
    };
    const work = runInContext(context, () =>
      run(body, from.deadline).then(
        (document) => ended({ document }),
        (failure) => ended({ error: errorOf(failure) }),
      ),
    );
    connection.track(work);
    return work;
  };
};

/** The caller of a request, for fair shares. */
const callerOf = (body: unknown): Pick<RequestContext, 'caller'> => {
  const {
    workspace_id: workspaceId,
    user_id: userId = '',
    by_api_key: apiKeyId,
  } = Object(body) as Record<string, unknown>;
  if (typeof workspaceId !== 'string') return {};
  return { caller: { workspaceId, userId: String(userId), ...(typeof apiKeyId === 'string' && { apiKeyId }) } };
};
