import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import type { ConnectionOptions, NatsConnection } from 'nats';
import { NatsConnectionImpl, setTransportFactory } from 'nats/lib/nats-base-client/internal_mod.js';
import { NodeTransport, nodeResolveHost } from 'nats/lib/src/node_transport.js';

type Server = Parameters<NodeTransport['connect']>[0];

/**
 * The transport of nats.js, which also closes connections to servers that accept them and stay silent. nats.js stops
 * waiting for such a server but keeps the socket; when the server continues, that socket ends and takes the newer
 * connection with it.
 */
class Transport extends NodeTransport {
  #dialled: Socket | undefined;

  override connect(server: Server, options: ConnectionOptions): Promise<void> {
    // The certificate of a server with an IP address must name that address; nats.js looks for "localhost".
    const tls = options.tls && { ...options.tls, host: server.tlsName || server.hostname };
    return super.connect(server, tls ? { ...options, tls } : options);
  }

  override async dial({ hostname, port }: { hostname: string; port: number }): Promise<Socket> {
    const socket = createConnection({ host: hostname, port, noDelay: true });
    this.#dialled = socket;
    await once(socket, 'connect');
    return socket;
  }

  override async close(error?: Error): Promise<void> {
    if (!this.connected) this.#dialled?.destroy(error);
    await super.close(error);
  }
}

/** `connect` of nats.js with this transport. */
export const connect = (options: ConnectionOptions): Promise<NatsConnection> => {
  setTransportFactory({ factory: () => new Transport(), dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(options);
};

/**
 * Drops the connection to the current server, so that nats.js connects to the next one. Its `reconnect` first flushes
 * pending data, which never ends with a server that reads nothing.
 */
export const leaveServer = async (nats: NatsConnection): Promise<void> => {
  const { servers, transport } = (nats as NatsConnectionImpl).protocol;
  // Otherwise the server of the very first connection would be the next one again.
  if (servers.next() === servers.getCurrentServer()) servers.selectServer();
  await transport.close(new Error('the server does not answer'));
};
