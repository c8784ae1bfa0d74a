import type { IncomingMessage } from 'node:http';
import type { Bus } from '@cardinal/bus';
import {
  apiPrefix,
  CardinalError,
  type Credential,
  type Document,
  type HttpOperation,
  type Operation,
  replyOf,
  scopes,
} from '@cardinal/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { z } from 'zod';
import { acceptBody, refuseBody } from './bodies.ts';
import type { CardNames, Params } from './card-names.ts';
import { explainConflicts } from './conflicts.ts';
import { commandOf, requireIdempotencyKey } from './idempotency.ts';
import { inRequest } from './observability.ts';
import { askInParts, dataOfParts } from './parts.ts';
import { isDecodable, isOfApi } from './paths.ts';
import { alreadyHas, boundHeaders, readIfMatch, readIfNoneMatch, requireIfMatch } from './preconditions.ts';
import { asFirstSent } from './replays.ts';
import { readLastEventId } from './streams/open.ts';
import { requireScope } from './tokens/auth.ts';
import type { ScopedOperation } from './tokens/challenge.ts';
import { type Principal, rankOf } from './tokens/claims.ts';
import { brokenRules, inWords } from './validation.ts';

/** What limits, metrics and refusals know of an operation. */
export interface ServedOperation extends Pick<HttpOperation, 'id' | 'maxMembers'>, ScopedOperation {
  reply: Pick<HttpOperation['reply'], 'kind'>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a route serves. */
    operation?: ServedOperation;
  }
}

/** The dependencies of every route. */
interface Answering {
  bus: Pick<Bus, 'call' | 'fetch'>;
  names: CardNames;
  /** The gateway's own operations by their ids. */
  own: Record<string, (request: FastifyRequest) => Document>;
  /** Answers with a stream. */
  stream: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Whether users can have tokens. */
  hasIssuer: boolean;
}

/** The parsed and checked path and query of a request. */
interface Asked {
  params: Params;
  query: { limit: number; cursor?: string | undefined; card?: string | string[] };
}

const parsed = (schema: z.ZodType, value: unknown): unknown => {
  const { data, error } = schema.safeParse(value, { error: inWords });
  if (error) throw brokenRules('invalid_request', error);
  return data;
};

/**
 * Refuses a query that is not percent-encoded UTF-8 (RFC 3986 2.5). The framework would pass it on undecoded.
 */
const checkQueryText = (url: string): void => {
  const at = url.indexOf('?');
  if (at === -1) return;
  const query = url.slice(at + 1);
  try {
    if (/^[\x21-\x7e]*$/.test(query) && decodeURIComponent(query).isWellFormed()) return;
  } catch {
    // Malformed percent-encoding is refused below.
  }
  throw new CardinalError('invalid_request', 'The query must be UTF-8 text, percent-encoded');
};

/** Parses path and query before the body is read. Their errors are 400, those of the body 422. */
const parseParameters =
  ({ params, query, flags, repeatable }: HttpOperation) =>
  (request: FastifyRequest): void => {
    request.params = parsed(params, request.params);
    checkQueryText(request.url);
    const asked = request.query as Record<string, unknown>;
    for (const name of flags) {
      if (asked[name] === 'true' || asked[name] === 'false') asked[name] = asked[name] === 'true';
    }
    const repeated = Object.keys(query.shape).filter(
      (name) => Array.isArray(asked[name]) && !repeatable.includes(name),
    );
    if (repeated.length > 0) {
      const words = repeated.map((name) => `${name}: must be given once`);
      throw new CardinalError('invalid_request', words.join('; '));
    }
    request.query = parsed(query, asked);
  };

/** The checks of an operation in their order (CONTRACT 1.5). */
const checksOf = (operation: HttpOperation): onRequestHookHandler[] => {
  const checks = [
    requireScope(operation.scope),
    ...(operation.requires.includes('If-Match') ? [requireIfMatch, boundHeaders, readIfMatch] : [boundHeaders]),
    ...(operation.reply.isConditional ? [readIfNoneMatch] : []),
    ...(operation.reply.kind === 'stream' ? [readLastEventId] : []),
    ...(operation.requires.includes('Idempotency-Key') ? [requireIdempotencyKey] : []),
    parseParameters(operation),
  ];
  return [
    (request, _reply, done) => {
      for (const check of checks) check(request);
      done();
    },
    operation.body ? acceptBody : refuseBody,
  ];
};

const adminRank = rankOf('kanban:admin');

const credentialOf = ({ rank, apiKey }: Principal, has_issuer: boolean): Credential => ({
  scope: scopes[rank - 1] ?? 'kanban:read',
  api_key: apiKey ? { id: apiKey.id, expires_at: apiKey.expires_at } : null,
  has_issuer,
});

/**
 * The request to the owner for a checked request, as `operationsOf` of libs/contracts declares it.
 * @param params of its path, all of them ids
 */
const busRequestOf = (
  request: FastifyRequest,
  operation: HttpOperation,
  params: Params,
  hasIssuer: boolean,
): Record<string, unknown> => {
  const { as, requires, isCommand, asAdmin, asCredential, hasFilters, reply, body } = operation;
  const { principal, query } = request as FastifyRequest & Asked;
  const asked: Record<string, unknown> = { ...principal.caller };
  if (isCommand) asked.command = commandOf(request, operation, params);
  if (requires.includes('If-Match')) asked.if_match = request.ifMatch;
  if (asAdmin) asked.is_admin = principal.rank >= adminRank;
  if (asCredential) asked.credential = credentialOf(principal, hasIssuer);
  if (reply.kind === 'page') {
    const { limit, cursor, ...narrowing } = query;
    asked.page = { limit, cursor };
    if (hasFilters) asked.filters = narrowing;
    else Object.assign(asked, narrowing);
  }
  for (const name in params) asked[as[name] ?? name] = params[name];
  if (body) asked.body = request.body;
  return asked;
};

/** The parameters of a request, and which of them are cards: those of its path, and the card that filters a list. */
const cardsOf = ({ params, query }: Asked, { cards }: HttpOperation): { params: Params; cards: readonly string[] } =>
  typeof query.card !== 'string'
    ? { params, cards }
    : { params: { ...params, card: query.card }, cards: [...cards, 'card'] };

const json = 'application/json; charset=utf-8';

const [begin, end] = [Buffer.from('{"data":'), Buffer.from('}')];

/** `{"data": …}` around the owner's JSON, or 304 where the client has the version. */
const sendData = (operation: HttpOperation, request: FastifyRequest, reply: FastifyReply, answer: Document) => {
  const { isConditional, status, collection, body } = operation.reply;
  const { version, replayed, id } = answer.head;
  const { ifNoneMatch } = request;
  if (version !== undefined) reply.header('etag', `"${version}"`);
  if (isConditional && ifNoneMatch !== undefined && alreadyHas(ifNoneMatch, version ?? 0)) {
    return reply.code(304).send();
  }
  if (collection !== undefined) reply.header('location', `${apiPrefix}/${collection}/${id}`);
  if (replayed) reply.header('idempotent-replayed', 'true');
  const data = replayed && body ? Buffer.from(asFirstSent(body, answer.text)) : answer.bytes;
  return reply
    .code(status)
    .type(json)
    .send(Buffer.concat([begin, data, end]));
};

const sendPage = (reply: FastifyReply, { head: { next_cursor = null, head }, bytes }: Document) => {
  const page = JSON.stringify({ next_cursor, has_more: next_cursor !== null, head });
  return reply.type(json).send(Buffer.concat([begin, bytes, Buffer.from(`,"page":${page}}`)]));
};

/** Sends an owner's reply as its operation says, without parsing it (ARCHITECTURE, "Batching"). */
const sendReply = (operation: HttpOperation, request: FastifyRequest, reply: FastifyReply, answer: Document) => {
  const { kind, status, reply: schema } = operation.reply;
  if (kind === 'data') return sendData(operation, request, reply, answer);
  if (kind === 'page') return sendPage(reply, answer);
  if (kind === 'empty') return reply.code(status).send();
  const [shown] = Object.values(schema.parse(replyOf(answer)) as object);
  if (kind === 'optional') return shown === null ? reply.code(204).send() : reply.send({ data: shown });
  return reply.code(status).header('location', shown).header('cache-control', 'no-store').send();
};

/** Adds the route of an operation. Its owner answers the whole of it. */
export const registerOperation = (api: FastifyInstance, declared: Operation, answering: Answering): void => {
  const { bus, names, own, stream, hasIssuer } = answering;
  const { http } = declared;
  const answerHere = own[http.id];
  const { method, path, body } = http;
  const explained = http.requires.includes('If-Match') ? explainConflicts(bus, http) : undefined;
  api.route({
    method,
    url: path,
    config: { operation: http },
    ...(body && { schema: { body } }),
    onRequest: checksOf(http),
    handler: (request, reply) =>
      inRequest(request, async () => {
        if (answerHere) return sendReply(http, request, reply, answerHere(request));
        if (http.reply.kind === 'stream') return stream(request, reply);
        const { principal } = request;
        const { query } = request as FastifyRequest & Asked;
        // One card that is not there is 404; of several, those that are not there are left out.
        if (http.hasFilters && query.card) query.card = await names.idsOf(principal, [query.card].flat());
        if (http.reply.kind === 'parts') {
          const { parts, replayed } = await askInParts(request, names, (part) =>
            bus.fetch(declared, { ...busRequestOf(request, http, request.params as Params, hasIssuer), body: part }),
          );
          if (replayed) reply.header('idempotent-replayed', 'true');
          return reply.type(json).send(dataOfParts(parts));
        }
        const ask = async (params: Params) => {
          const answer = bus.fetch(declared, busRequestOf(request, http, params, hasIssuer));
          if (!explained) return answer;
          const { caller } = principal;
          return answer.catch(async (error) => {
            throw await explained({ caller, ifMatch: request.ifMatch, params }, error);
          });
        };
        const answer = await names.withIds(principal, cardsOf(request as FastifyRequest & Asked, http), ask);
        return sendReply(http, request, reply, answer);
      }),
  });
};

/**
 * The URL by which a request is routed. No hook would run for a path that cannot be decoded, so it is replaced by a path
 * without a route, which `unknownRoutes` answers.
 */
export const routedUrl = ({ url = '/' }: IncomingMessage): string => {
  if (!url.includes('%') || isDecodable(url)) return url;
  return isOfApi(url) ? `${apiPrefix}/undecodable` : '/undecodable';
};
