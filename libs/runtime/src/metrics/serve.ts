import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../logger.ts';
import { measureProcess, registry } from './registry.ts';

interface Listener {
  port: number;
  close(): Promise<void>;
}

/** Has a server listen; port 0 takes any free one. Closing it ends its connections. */
export const listening = async (server: Server, at: { port: number; host: string }): Promise<Listener> => {
  measureProcess();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};

/** Answers with everything that this process measures, in Prometheus' text format. */
export const answerMetrics = async (response: ServerResponse, logger: Logger): Promise<void> => {
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  } catch (error) {
    logger.error({ err: error }, 'the metrics could not be collected');
    response.writeHead(500).end();
  }
};

/** Serves `/metrics` at a port of its own, for a process whose other port is open to everybody. */
export const serveMetrics = async ({
  logger,
  ...at
}: {
  port: number;
  host: string;
  logger: Logger;
}): Promise<Listener> => {
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] === '/metrics') return answerMetrics(response, logger);
    return void response.writeHead(404).end();
  });
  const listener = await listening(server, at);
  logger.info({ metrics_port: listener.port }, 'serving metrics');
  return listener;
};
