import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as it came by. */
interface Recorded {
  method: string;
  /** With its query. */
  path: string;
  headers: NodeJS.Dict<string | string[]>;
  /** Parsed; undefined for none. */
  body: unknown;
}

const hopByHop = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'];

const unavailable = JSON.stringify({
  error: { code: 'unavailable', message: 'The service is unavailable.', details: {} },
});

/**
 * Passes requests on to a gateway and keeps what it passed.
 * @param away paths that it answers itself, as a gateway does whose service for them is away
 */
export const startRecorder = async (origin: string, away?: RegExp) => {
  const requests: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const sent = await text(request);
    requests.push({ method, path, headers, body: sent === '' ? undefined : JSON.parse(sent) });
    if (away?.test(path)) {
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '0' }).end(unavailable);
      return;
    }
    const passed = Object.entries(headers).filter(([name]) => !hopByHop.includes(name)) as [string, string][];
    const answer = await fetch(origin + path, {
      method,
      headers: passed,
      redirect: 'manual',
      ...(sent === '' ? {} : { body: sent }),
    });
    const kept = [...answer.headers].filter(([name]) => !hopByHop.includes(name) && name !== 'content-encoding');
    response.writeHead(answer.status, Object.fromEntries(kept));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
