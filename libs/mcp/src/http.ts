import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Api } from './api.ts';
import { mcpServer, type ServerOptions } from './server.ts';

/**
 * Answers one message that came by POST (streamable HTTP, without sessions): each has a server of its own, so any instance
 * answers any message, as JSON. Clients of the revisions before 2026-07-28 are answered in theirs.
 * @param message the parsed body
 */
export const answerMessage = async (
  request: Request,
  { message, api, ...options }: ServerOptions & { message: unknown; api: Api },
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
