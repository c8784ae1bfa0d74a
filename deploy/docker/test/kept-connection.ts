import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

interface Answer {
  /** The code of the error where the connection broke. */
  status: number | string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Whether the connection was there already. */
  kept: boolean;
}

/** A client of a port of this machine that has one connection and keeps it for as long as it may. */
export const keptConnection = (port: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (method: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> => {
    const asked = request({ port, host: '127.0.0.1', method, path: '/api/kanban/v1/boards', headers, agent });
    asked.end(body);
    try {
      const [response] = await once(asked, 'response');
      const answer = { status: response.statusCode, headers: response.headers, body: await text(response) };
      // The connection goes back to the agent a moment after the body.
      await pause(0);
      return { ...answer, kept: asked.reusedSocket };
    } catch (error) {
      const status = (error as NodeJS.ErrnoException).code ?? String(error);
      return { status, headers: {}, body: '', kept: asked.reusedSocket };
    }
  };
  return { ask, end: () => agent.destroy() };
};
