import { serveHttp } from '@cardinal/servers';

/** The share of events that are refused at the first delivery. */
const refusedFirst = 0.03;

/** Starts a receiver that accepts requests and never answers. */
export const startSilentReceiver = () => serveHttp((request) => request.resume());

/**
 * Starts a receiver of webhooks. It answers some first deliveries with 500, so that they are repeated.
 * @param take receives each accepted body
 */
export const startReceiver = async (take: (text: string) => void) => {
  const refused = new Set<string>();
  return serveHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A killed sender breaks off during its request.
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
