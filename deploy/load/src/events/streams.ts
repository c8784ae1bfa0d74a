import { Agent, request } from 'node:http';
import type { System } from '../systems.ts';

/** What a stream says: how many events came, and the last of them where somebody wants to read it. */
export interface OpenStreams {
  /** Events that came over all of them. */
  events: () => number;
  close: () => void;
}

/** One message of server-sent events; the service sends each in one piece, `data` in one line. */
const dataLine = /^data: ?(.*)$/gm;

/**
 * Opens streams of a system. Resolves when each has answered.
 * @param tokens of the streams' users, used round robin
 * @param read is given the text of each event, of the first stream alone
 * @throws Error where one is refused
 */
export const openStreams = async (
  system: System,
  { tokens, count, read }: { tokens: readonly string[]; count: number; read?: (event: string) => void },
): Promise<OpenStreams> => {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  let events = 0;
  const open = (at: number) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${tokens[at % tokens.length]}`, accept: 'text/event-stream' };
      const asked = request(`${system.baseUrl}/events/stream`, { agent, headers }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`a stream is answered ${response.statusCode}`));
        let rest = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          const text = rest + chunk;
          const end = text.lastIndexOf('\n\n');
          rest = text.slice(end + 1);
          for (const [, event = ''] of text.slice(0, end + 1).matchAll(dataLine)) {
            events += 1;
            if (at === 0) read?.(event);
          }
        });
        response.on('error', () => {});
        resolve();
      });
      asked.on('error', reject);
      asked.end();
    });
  // Not all at one moment: a gateway takes so many connections only one after the other.
  for (let at = 0; at < count; at += 1) await open(at);
  return { events: () => events, close: () => agent.destroy() };
};
