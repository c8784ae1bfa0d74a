import { createServer } from 'node:net';

/** The code of the error with which nothing can listen at the port: `EADDRINUSE`, `EADDRNOTAVAIL`; undefined when it can. */
export const whyNotFree = (port: number, host = '127.0.0.1') =>
  new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });

/** A loopback port that was free a moment ago, `preferred` if that one is. */
export const freePort = async (preferred?: number): Promise<number> => {
  if (preferred && (await whyNotFree(preferred)) === undefined) return preferred;
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
};
