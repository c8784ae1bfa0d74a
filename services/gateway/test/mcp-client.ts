import { listBoards } from '@cardinal/contracts';
import { afterEach } from 'vitest';
import { type Gateway, startGateway } from './gateway.ts';
import { type Answer, type Sent, send } from './http.ts';

/** A client of the tools, for a test file: each test starts a gateway of its own, which ends with it. */
export const mcpClient = () => {
  let gateway: Gateway;
  afterEach(() => gateway.stop());
  const accept = 'application/json, text/event-stream';
  return {
    accept,
    /** The one of the test under way. */
    get gateway(): Gateway {
      return gateway;
    },
    started: async (environment: Record<string, string> = {}) => {
      gateway = await startGateway(environment);
      gateway.serve(listBoards, () => ({ items: [], next_cursor: null }));
      // The broker knows what is served.
      await gateway.call({ path: '/boards' });
      return gateway;
    },
    post: async (body: unknown, { headers, ...more }: Partial<Sent> = {}): Promise<Answer> => {
      const authorization = `Bearer ${await gateway.tokenFor({})}`;
      const sent = { authorization, accept, 'content-type': 'application/json', ...headers };
      return send(gateway.port, { method: 'POST', path: '/mcp', body: JSON.stringify(body), ...more, headers: sent });
    },
  };
};

/** The message that calls a tool. */
export const calling = (name: string, given: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});
