import {
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Api } from './api.ts';
import { received } from './messages.ts';
import { mcpServer, type ServerOptions } from './server.ts';

/** Adds the id of the request, which the library leaves out where it answers before it has read it. */
const withId = async (response: Response, id: unknown): Promise<Response> => {
  if (response.ok || id === undefined || !response.headers.get('content-type')?.startsWith('application/json'))
    return response;
  const body = (await response.json()) as { id?: unknown };
  return Response.json({ ...body, id: body.id ?? id }, { status: response.status });
};

const handled = async (
  request: Request,
  message: JSONRPCMessage,
  { api, ...options }: ServerOptions & { api: Api },
): Promise<Response> => {
  const server = () => mcpServer(api, options);
  if (!(await isLegacyRequest(request, message))) {
    // Without subscriptions: nothing that could be subscribed to changes.
    const { fetch } = createMcpHandler(server, { legacy: 'reject', maxSubscriptions: 0 });
    return fetch(request, { parsedBody: message });
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const own = server();
  await own.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await own.close();
  }
};

/**
 * Answers one message that came by POST (streamable HTTP, without sessions): each has a server of its own, so any instance
 * answers any message, as JSON. Clients of the revisions before 2026-07-28 are answered in theirs.
 * @param message the parsed body; whatever has an id is answered under it
 */
export const answerMessage = async (
  request: Request,
  { message, ...rest }: ServerOptions & { message: unknown; api: Api },
): Promise<Response> => {
  const read = received(message);
  if ('refusal' in read) return Response.json(read.refusal, { status: read.refusal.id === null ? 400 : 200 });
  const id = 'id' in read.message ? read.message.id : undefined;
  return withId(await handled(request, read.message, rest), id);
};
