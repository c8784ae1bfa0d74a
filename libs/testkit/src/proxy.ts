import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { atEndOfFile } from './run/end-of-file.ts';

export type Proxy = Awaited<ReturnType<typeof startProxy>>;

/**
 * Starts a TCP proxy before the server of `url`, until the test file ends, that can break in the ways a network does.
 * @param tap makes what hears everything that the client of a new connection sends
 */
export async function startProxy(url: string, tap?: () => (chunk: Buffer) => void) {
  const target = new URL(url);
  const clients = new Set<Socket>();
  let muted = false;
  let held: (() => void)[] | undefined;
  let refusing = false;
  let trigger: string | undefined;

  const server = createServer((client) => {
    if (refusing) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    let doomed = false;
    const hear = tap?.();
    clients.add(client);
    client.on('data', (chunk) => {
      hear?.(chunk);
      if (trigger !== undefined && chunk.includes(trigger)) {
        trigger = undefined;
        doomed = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (doomed) client.destroy();
      else if (held) held.push(() => client.write(chunk));
      else if (!muted) client.write(chunk);
    });
    const end = () => {
      clients.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEndOfFile(() => {
    for (const client of clients) client.destroy();
    server.close();
  });

  const proxied = new URL(url);
  proxied.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const client of clients) client.resetAndDestroy();
  };
  return {
    url: proxied.href,
    /** Breaks every connection there is. */
    cut,
    /** Turns every connection away, the ones there are as well. */
    refuse: () => {
      refusing = true;
      cut();
    },
    accept: () => {
      refusing = false;
    },
    /** From now on swallows what the server answers. */
    mute: () => {
      muted = true;
    },
    unmute: () => {
      muted = false;
    },
    /** From now on keeps what the server sends, as a network that stands still; `release` hands it over. */
    hold: () => {
      held ??= [];
    },
    release: () => {
      const chunks = held ?? [];
      held = undefined;
      for (const handOver of chunks) handOver();
    },
    /** The next message that contains `text` reaches the server; its answer is lost, and so is the connection. */
    cutAfter: (text: string) => {
      trigger = text;
    },
    connections: () => clients.size,
  };
}
