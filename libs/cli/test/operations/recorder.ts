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

/** Passes requests on to a gateway and keeps what it passed. */
export const startRecorder = async (origin: string) => {
  const requests: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const sent = await text(request);
    requests.push({ method, path, headers, body: sent === '' ? undefined : JSON.parse(sent) });
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
