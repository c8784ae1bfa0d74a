import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { frameSplitter } from './nats-frames.ts';
import type { Random } from './system.ts';

/** A disturbance of connections. A share is a probability for each message; it needs a protocol with known messages. */
export type Disturbance =
  | { kind: 'dropped' | 'doubled'; share: number; random: Random }
  | { kind: 'reordered'; share: number; maxMs: number; random: Random }
  /** Messages stay in order; each is delayed. */
  | { kind: 'delayed'; maxMs: number; random: Random }
  /** Connections stay open, and everything sent in that direction is lost, also on new connections. */
  | { kind: 'half-open'; direction: Direction }
  /** Connections are reset, and new ones as well. */
  | { kind: 'reset' };

type Direction = 'to the server' | 'from the server';

/** A TCP proxy before a server, through which one process reaches it. */
export interface TcpProxy {
  /** The URL of the server, with the proxy's address. */
  url: string;
  /** Disturbs every connection until it is called without an argument. */
  disturb(disturbance?: Disturbance): void;
  /** How many messages (chunks, connections) were disturbed since the last call. */
  disturbed(): number;
  close(): void;
}

interface Connection {
  client: Socket;
  server: Socket;
  /** Bytes of it were lost, so it must be reset. */
  isBroken: boolean;
}

const reset = ({ client, server }: Connection) => {
  client.resetAndDestroy();
  server.resetAndDestroy();
};

/**
 * Starts a proxy before the server of `url`.
 * @param protocol `nats`: whole messages are disturbed; `bytes`: chunks of bytes
 */
export const startProxy = async (url: string, protocol: 'nats' | 'bytes'): Promise<TcpProxy> => {
  const target = new URL(url);
  const connections = new Set<Connection>();
  let disturbance: Disturbance | undefined;
  let hits = 0;

  /** Forwards one direction of a connection. */
  const pipe = (connection: Connection, from: Socket, to: Socket, direction: Direction) => {
    const split = frameSplitter();
    /** Delayed chunks, in order; the first leaves next. */
    const waiting: { due: number; bytes: Buffer }[] = [];
    const lastDue = () => waiting.at(-1)?.due ?? 0;
    const write = (bytes: Buffer) => {
      if (to.writable && !to.write(bytes)) from.pause();
    };
    to.on('drain', () => from.resume());
    /** Writes it after all chunks that are already delayed. */
    const writeInOrder = (bytes: Buffer, delayMs: number) => {
      if (delayMs === 0 && waiting.length === 0) return write(bytes);
      waiting.push({ due: Math.max(lastDue(), performance.now() + delayMs), bytes });
      if (waiting.length === 1) setTimeout(leave, delayMs);
    };
    const leave = () => {
      while (waiting[0] && waiting[0].due <= performance.now()) write((waiting.shift() as { bytes: Buffer }).bytes);
      if (waiting[0]) setTimeout(leave, Math.max(waiting[0].due - performance.now(), 0));
    };
    const pass = (bytes: Buffer, isMessage: boolean) => {
      const now = disturbance;
      if (now?.kind === 'delayed') {
        hits += 1;
        writeInOrder(bytes, now.random.int(0, now.maxMs));
      } else if (isMessage && now && 'share' in now && now.random.chance(now.share)) {
        hits += 1;
        if (now.kind === 'doubled') writeInOrder(Buffer.concat([bytes, bytes]), 0);
        if (now.kind === 'reordered') setTimeout(write, now.random.int(1, now.maxMs), bytes);
      } else {
        writeInOrder(bytes, 0);
      }
    };
    from.on('data', (chunk) => {
      if (disturbance?.kind === 'half-open' && disturbance.direction === direction) {
        hits += 1;
        connection.isBroken = true;
        return;
      }
      if (protocol === 'bytes') return pass(chunk, false);
      const frames = split(chunk);
      if (disturbance) for (const frame of frames) pass(frame.bytes, frame.isMessage);
      else if (frames.length > 0) writeInOrder(Buffer.concat(frames.map(({ bytes }) => bytes)), 0);
    });
    // Delayed chunks arrive before the end of the connection.
    from.on('end', () => setTimeout(() => to.end(), Math.max(lastDue() - performance.now(), 0) + 1));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      if (to.destroyed) connections.delete(connection);
    });
  };

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (disturbance?.kind === 'reset') {
      hits += 1;
      client.on('error', () => {}).resetAndDestroy();
      return;
    }
    const upstream = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    const connection = { client, server: upstream, isBroken: false };
    connections.add(connection);
    for (const socket of [client, upstream]) socket.setNoDelay(true);
    pipe(connection, client, upstream, 'to the server');
    pipe(connection, upstream, client, 'from the server');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const proxied = new URL(url);
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    disturb: (next) => {
      const former = disturbance;
      disturbance = next;
      if (next?.kind === 'reset') {
        hits += connections.size;
        for (const connection of connections) reset(connection);
      }
      if (former?.kind === 'half-open') {
        for (const connection of connections) if (connection.isBroken) reset(connection);
      }
    },
    disturbed: () => {
      const count = hits;
      hits = 0;
      return count;
    },
    close: () => {
      server.close();
      for (const { client, server: upstream } of connections) {
        client.destroy();
        upstream.destroy();
      }
    },
  };
};
