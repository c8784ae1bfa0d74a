import {
  type Document,
  type HttpOperation,
  type RequestContract,
  type RequestParts,
  replyOf,
  validationError,
  type WithHttp,
} from '@cardinal/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { acceptBody, refuseBody } from './bodies.ts';
import { type BusCaller, composed } from './composed.ts';
import { commandOf, requireIdempotencyKey } from './idempotency.ts';
import { inRequest } from './observability.ts';
import { alreadyHas, boundHeaders, readIfMatch, readIfNoneMatch, requireIfMatch } from './preconditions.ts';
import { apiPrefix } from './request.ts';
import { requireScope } from './tokens/auth.ts';
import { rankOf } from './tokens/claims.ts';
import { parseParameters } from './validation.ts';

/** The checks of an operation in the order in which they count (api-decisions, "Order of checks"). */
const checksOf = ({ scope, requires, params, query, body, reply }: HttpOperation): onRequestHookHandler[] => [
  requireScope(scope),
  ...(requires.includes('If-Match') ? [requireIfMatch, boundHeaders, readIfMatch] : [boundHeaders]),
  ...(reply.isConditional ? [readIfNoneMatch] : []),
  ...(requires.includes('Idempotency-Key') ? [requireIdempotencyKey] : []),
  parseParameters({ params, query }),
  body ? acceptBody : refuseBody,
];

const adminRank = rankOf('kanban:admin');

/** What a checked request says, for the owner. */
const partsOf = (request: FastifyRequest, { id, isCommand }: HttpOperation): RequestParts => {
  const { principal, params, query, ifMatch, body } = request;
  return {
    by: principal.caller,
    isAdmin: principal.rank >= adminRank,
    command: isCommand ? commandOf(request, id) : undefined,
    params: params as RequestParts['params'],
    query: query as RequestParts['query'],
    ifMatch,
    body,
  };
};
const json = 'application/json; charset=utf-8';

/** `{"data": …}` around a text that its owner made, or 304 where the client has it. */
const sendData = (operation: HttpOperation, request: FastifyRequest, reply: FastifyReply, answer: Document) => {
  const { isConditional, status, collection } = operation.reply;
  const { version, replayed, id } = answer.head;
  const { ifNoneMatch } = request;
  if (version !== undefined) reply.header('etag', `"${version}"`);
  if (isConditional && ifNoneMatch !== undefined && alreadyHas(ifNoneMatch, version ?? 0)) {
    return reply.code(304).send();
  }
  if (collection !== undefined) reply.header('location', `${apiPrefix}/${collection}/${id}`);
  if (replayed) reply.header('idempotent-replayed', 'true');
  return reply.code(status).type(json).send(`{"data":${answer.text}}`);
};

const sendPage = (reply: FastifyReply, { head: { next_cursor = null }, text }: Document) => {
  const page = JSON.stringify({ next_cursor, has_more: next_cursor !== null });
  return reply.type(json).send(`{"data":${text},"page":${page}}`);
};

/** Sends an owner's reply as its operation says; what passes through is not parsed (architecture, "Speed"). */
const sendReply = (operation: HttpOperation, request: FastifyRequest, reply: FastifyReply, answer: Document) => {
  const { kind, status, reply: schema } = operation.reply;
  if (kind === 'data') return sendData(operation, request, reply, answer);
  if (kind === 'page') return sendPage(reply, answer);
  if (kind === 'empty') return reply.code(status).send();
  const [shown] = Object.values(schema.parse(replyOf(answer)) as object);
  if (kind === 'optional') return shown === null ? reply.code(204).send() : reply.send({ data: shown });
  return reply.code(status).header('location', shown).header('cache-control', 'no-store').send();
};

type Declared = WithHttp & Partial<RequestContract>;

/** What an operation asks of the services; those that no service answers alone are in `composed`. */
const answerOf = (declared: Declared, bus: BusCaller): ((parts: RequestParts) => Promise<Document>) => {
  const { http, subject } = declared;
  if (subject !== undefined) return (parts) => bus.fetch(declared as RequestContract, http.busRequestOf(parts));
  const answer = composed[http.id];
  if (!answer) throw new Error(`nobody answers ${http.id}`);
  return (parts) => answer(bus, parts);
};

/** Puts an operation on the server. */
export const registerOperation = (api: FastifyInstance, declared: Declared, bus: BusCaller): void => {
  const { http } = declared;
  const { method, path, body } = http;
  const answer = answerOf(declared, bus);
  api.route({
    method,
    url: path,
    config: { operation: http },
    ...(body && { schema: { body } }),
    onRequest: checksOf(http),
    handler: (request, reply) =>
      inRequest(request, async () => {
        // The framework hands a body of `null` on as none, which a body that may be left out is.
        if (body && request.sentBody === null) {
          throw validationError([{ path: [], message: 'The body must be an object' }]);
        }
        return sendReply(http, request, reply, await answer(partsOf(request, http)));
      }),
  });
};
