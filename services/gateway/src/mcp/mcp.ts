import { CardinalError, declaredOperations, release } from '@cardinal/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptBody } from '../bodies.ts';
import { inRequest } from '../observability.ts';
import type { ServedOperation } from '../routes.ts';
import { endOfKey } from '../tokens/auth.ts';
import { ownRequests } from './own-requests.ts';

/** Where assistants reach the API. */
export const mcpPath = '/mcp';

/** The operation that a message counts as in limits and metrics. It may have the members of any body, and those of the message. */
const message: ServedOperation = {
  id: 'mcp',
  reply: { kind: 'page' },
  maxMembers: 100 + Math.max(...declaredOperations.map(({ http }) => http.maxMembers)),
};

/** The headers that the protocol reads. Its library demands an `Accept` of JSON and streams; `requireJson` checks the client's. */
const headersOf = ({ headers }: FastifyRequest): [string, string][] => [
  ['accept', 'application/json, text/event-stream'],
  ...Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    (name === 'content-type' || name.startsWith('mcp-')) && value !== undefined
      ? [[name, [value].flat().join(', ')]]
      : [],
  ),
];

/** Loaded by the first message: without one it costs a start no time. */
const library = () => import('@cardinal/mcp');

const answer = async (app: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => {
  // A batch would count as one message.
  if (typeof request.body !== 'object' || Array.isArray(request.body)) {
    throw new CardinalError('invalid_request', 'The body must be one JSON-RPC message');
  }
  const { answerMessage } = await library();
  const asked = new Request(`http://localhost${mcpPath}`, { method: 'POST', headers: headersOf(request) });
  const answered = await answerMessage(asked, {
    message: request.body,
    api: ownRequests(app, request),
    version: release,
    keyEnd: endOfKey(request.principal),
    onError: (error) => request.log.error({ err: error }, 'a tool failed'),
  });
  const type = answered.headers.get('content-type');
  if (type !== null) reply.type(type);
  return reply.code(answered.status).send(Buffer.from(await answered.arrayBuffer()));
};

/** Answers assistants (Model Context Protocol, streamable HTTP without sessions; ADR 0069). */
export const mcp = (scope: FastifyInstance, app: FastifyInstance): void => {
  scope.post('', {
    config: { operation: message },
    onRequest: acceptBody,
    handler: (request, reply) => inRequest(request, () => answer(app, request, reply)),
  });
};
