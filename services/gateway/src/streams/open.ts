import type { OutgoingHttpHeaders } from 'node:http';
import type { Bus } from '@cardinal/bus';
import { CardinalError, type EventFilters, getCard, type Wanted } from '@cardinal/contracts';
import { HttpError } from '@cardinal/edge';
import { gauge } from '@cardinal/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CardNames } from '../card-names.ts';
import type { Config } from '../config.ts';
import { rateLimited } from '../errors.ts';
import { answered } from '../observability.ts';
import type { UserLimits } from '../rate-limit.ts';
import type { RepeatedLines } from '../repeated-lines.ts';
import type { Authenticator } from '../tokens/auth.ts';
import type { Hub } from './hub.ts';
import { openStream } from './stream.ts';
import { streamsOf } from './streams.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The `seq` in `Last-Event-ID`, where the operation is a stream. */
    lastEventId: number | undefined;
  }
}

/** `Retry-After` where no stream was free, seconds. */
const seconds = '5';
/** The refusal of a gateway that stops. The follower is to retry at once: the load balancer chooses another gateway. */
const stopping = () => new HttpError('unavailable', 'The gateway stops', { headers: { 'retry-after': '0' } });
const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Asks proxies not to buffer.
  'x-accel-buffering': 'no',
  // The client's next request needs another connection, and may reach another gateway.
  connection: 'close',
};
/** When TCP keep-alive begins to probe a silent client, ms. */
const keepAliveMs = 30_000;

/** Sets `request.lastEventId`. @throws CardinalError `invalid_request` where it is no `id` of an event */
export const readLastEventId = (request: FastifyRequest): void => {
  const header = request.headers['last-event-id'];
  if (header === undefined) return;
  request.lastEventId = /^(?:0|[1-9][0-9]{0,14})$/.test(String(header)) ? Number(header) : undefined;
  if (request.lastEventId === undefined) {
    throw new CardinalError('invalid_request', 'Last-Event-ID must be the id of an event: its seq');
  }
};

/** Counts streams, those that are being opened included. */
const placesOf = ({ STREAMS: inAll, STREAMS_PER_USER: perUser }: Pick<Config, 'STREAMS' | 'STREAMS_PER_USER'>) => {
  const users = new Map<string, number>();
  let used = 0;
  gauge({ name: 'cardinal_streams_max', help: 'Limit of open streams of events' }, (one) => one.set(inAll));
  return {
    /** @returns a function that gives the place back. @throws HttpError `rate_limited` where none is free */
    take(user: string): () => void {
      const own = users.get(user) ?? 0;
      if (own >= perUser) throw rateLimited(`${perUser} streams of this user are open`, { max: perUser, seconds });
      if (used >= inAll) throw rateLimited('Too many streams are open', { max: inAll, seconds });
      users.set(user, own + 1);
      used += 1;
      return () => {
        used -= 1;
        const left = (users.get(user) ?? 1) - 1;
        if (left > 0) users.set(user, left);
        else users.delete(user);
      };
    },
  };
};

interface Parts {
  config: Config;
  bus: Pick<Bus, 'call' | 'fetch' | 'onSignal'>;
  names: CardNames;
  limits: UserLimits;
  authenticator: Pick<Authenticator, 'principalOf'>;
  repeated: RepeatedLines;
}

/**
 * Answers requests with streams of events (CONTRACT 9.3; ADR 0067), and ends them at once when the
 * server is closed.
 */
export const streamAnswers = (app: FastifyInstance, parts: Parts) => {
  const { config, bus, names, limits, authenticator, repeated } = parts;
  const onFailure = (error: unknown) =>
    repeated.log('streams', { level: 'warn', fields: { err: error }, message: 'streams could not go on' });
  const streams = streamsOf(bus, { timeoutMs: config.REQUEST_TIMEOUT_MS, onFailure });
  const places = placesOf(config);
  let isStopping = false;
  app.decorateRequest('lastEventId', undefined);
  app.addHook('preClose', (done) => {
    isStopping = true;
    streams.stop();
    done();
  });

  /** What a follower asks for, its card by the id. @throws CardinalError `not_found` where the card is hidden */
  const wantedBy = async ({ principal, query }: FastifyRequest): Promise<Wanted> => {
    const { types, board_id, card, actor } = query as EventFilters;
    const wanted = {
      ...(types !== undefined && { types }),
      ...(board_id !== undefined && { board_id }),
      ...(actor !== undefined && { actor: actor === 'me' ? principal.caller.user_id : actor }),
    };
    if (card === undefined) return wanted;
    const see = ({ card_id = '' }) => bus.fetch(getCard, { ...principal.caller, card_id });
    const seen = await names.withIds(principal, { params: { card_id: card }, cards: ['card_id'] }, see);
    return { ...wanted, card_id: seen.head.id };
  };

  const sendHead = (request: FastifyRequest, reply: FastifyReply) => {
    const { raw } = reply.headers(limits.headersAfter(request.principal, 0)).hijack();
    raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers });
    answered(raw);
    // A stream holds no bytes of the budget: it bounds what waits for its client itself.
    request.share?.release();
    return raw;
  };

  const begin = async (request: FastifyRequest, reply: FastifyReply, hub: Hub) => {
    const { principal, lastEventId } = request;
    const { workspace_id: workspaceId, user_id: userId } = principal.caller;
    const wanted = await wantedBy(request);
    const { after: asked } = request.query as { after?: number | 'head' };
    const after = lastEventId ?? (asked === 'head' ? undefined : asked);
    const first = after === undefined ? await hub.now() : await streams.pages.read(workspaceId, after, wanted);
    if (isStopping) throw stopping();
    const raw = sendHead(request, reply);
    if (request.method === 'HEAD' || raw.destroyed) return void raw.end();
    raw.socket?.setTimeout(0).setKeepAlive(true, keepAliveMs);
    const stream = openStream(raw, {
      userId,
      wanted,
      requestId: request.id,
      expiresAt: principal.expiresAt,
      position: after ?? first.last,
      maxWaiting: config.STREAM_WAITING_BYTES,
      onEnd: (ending) => streams.forget(hub, stream, ending),
    });
    // It ends with the key of its token as well.
    const check = async () => authenticator.principalOf(request);
    return streams.follow(hub, stream, { workspaceId, first, check });
  };

  /** @throws CardinalError `gone`, `not_found`, `rate_limited`, `unavailable`, before the stream begins */
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (isStopping) throw stopping();
    const leavePlace = places.take(request.principal.key);
    const { hub, leave } = streams.enter(request.principal.caller.workspace_id);
    // The event fires for abandoned and refused requests too.
    reply.raw.once('close', () => {
      leavePlace();
      leave();
    });
    await begin(request, reply, hub);
  };
};
