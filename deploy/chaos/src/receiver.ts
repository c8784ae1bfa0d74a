import { serveHttp } from '@cardinal/servers';

/** How many of the events are refused when they come first. */
const refusedFirst = 0.03;

/** Takes requests and answers none. */
export const startSilentReceiver = () => serveHttp((request) => request.resume());

/**
 * A receiver of webhooks. It answers some deliveries with 500 at first, so that they come again.
 * @param take is given what he takes
 */
export const startReceiver = async (take: (text: string) => void) => {
  const refused = new Set<string>();
  return serveHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A sender that is killed breaks off amid its request.
    request.on('error', () => response.destroy());
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      // The last digits of an id are random: the same event is refused in each run of a history.
      const isRefused = Number.parseInt(id.slice(-4), 16) / 0x1_0000 < refusedFirst && !refused.has(id);
      if (isRefused) refused.add(id);
      else take(Buffer.concat(chunks).toString());
      response.writeHead(isRefused ? 500 : 204).end();
    });
  });
};
