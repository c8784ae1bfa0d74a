import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How a proxy treats its connections: it passes bytes on, answers none, passes the headers of answers alone, or refuses all. */
type Conduct = 'passes' | 'hangs' | 'stalls' | 'refuses';

/** A proxy of TCP before a server on this machine, whose conduct a test changes. */
export const startFlakyProxy = async (target: number) => {
  let conduct: Conduct = 'passes';
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined).on('close', () => sockets.delete(client));
    if (conduct === 'hangs') return;
    const upstream = connect(target, '127.0.0.1').on('error', () => client.destroy());
    client.pipe(upstream);
    client.on('close', () => upstream.destroy());
    if (conduct === 'passes') return void upstream.pipe(client);
    upstream.once('data', (answer: Buffer) => {
      client.write(answer.subarray(0, answer.indexOf('\r\n\r\n') + 4));
      upstream.pause();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const closed = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  return {
    port,
    async becomes(next: Conduct): Promise<void> {
      const before = conduct;
      conduct = next;
      const isClosed = next === 'refuses' ? closed() : undefined;
      for (const socket of sockets) socket.destroy();
      await isClosed;
      if (before === 'refuses' && next !== 'refuses') await once(server.listen(port, '127.0.0.1'), 'listening');
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      if (conduct !== 'refuses') await closed();
    },
  };
};
