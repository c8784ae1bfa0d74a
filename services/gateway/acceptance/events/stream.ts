import type { Body } from '../workspace.ts';

/** One message of a stream, as its lines say. */
interface Message {
  id: string | undefined;
  event: string | undefined;
  data: string;
}

/** The messages of server-sent events (HTML, "Server-sent events"): comments, and blocks without data, are none. */
async function* messagesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n').filter((line) => line && !line.startsWith(':'));
      const all = (name: string) =>
        lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart());
      const data = all('data').join('\n');
      if (data) yield { id: all('id')[0], event: all('event')[0], data };
    }
  }
}

interface StreamOptions {
  baseUrl: string;
  token: string;
  /** Path and query. */
  path?: string;
  lastEventId?: number | undefined;
  signal: AbortSignal;
}

/** Opens a stream. @returns its response; one that is not 200 has a usual body */
export const openStream = ({ baseUrl, token, path = '/events/stream', lastEventId, signal }: StreamOptions) =>
  fetch(`${baseUrl}${path}`, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    },
    signal,
  });

/** Reads the events of a stream until it ends in any way. @throws Error where a message contradicts its event */
export const readStream = async (response: Response, take: (event: Body) => void): Promise<void> => {
  if (!response.body) return;
  for await (const { id, event, data } of messagesOf(response.body)) {
    const told = JSON.parse(data);
    if (id !== String(told.seq) || event !== told.type) throw new Error(`message ${id} ${event} carries ${data}`);
    take(told);
  }
};
