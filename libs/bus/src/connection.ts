import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '@cardinal/contracts';
import type { Logger } from '@cardinal/runtime';
import { type ConnectionOptions, connect, ErrorCode, Events, type NatsConnection, NatsError } from 'nats';
import { inboxPrefixOf } from './names.ts';
import { within } from './within.ts';

const pingTimeoutMs = 1_000;
const closeTimeoutMs = 2_000;

/** The one connection of a process to the broker; it reconnects for ever. */
export interface Connection {
  nats: NatsConnection;
  /** What our inboxes begin with; others cannot listen there. */
  inboxPrefix: string;
  isUp(): boolean;
  /** Throws `unavailable` while the connection is broken, since nats.js would only buffer what is sent. */
  assertUp(): void;
  /** Calls back each time that the connection stands again after it broke. */
  onBack(callback: () => void): void;
  /** When that was last, epoch ms; 0 where it never broke. */
  backSince(): number;
  /** A round trip to the broker; throws `unavailable` after 1 s. */
  ping(): Promise<void>;
  /** Sends what is still buffered and closes. */
  close(): Promise<void>;
}

/** Servers and credentials of `nats://user:pass@host:port[,…]`; nats.js itself ignores the credentials of a URL. */
export const connectionOptions = (url: string): ConnectionOptions => {
  const urls = url.split(',').map((one) => new URL(one.includes('://') ? one.trim() : `nats://${one.trim()}`));
  const { username = '', password = '' } = urls[0] ?? {};
  return {
    servers: urls.map((one) => one.host),
    ...(username && password ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {}),
    ...(username && !password ? { token: decodeURIComponent(username) } : {}),
  };
};

export const isWrongCredentials = (error: unknown): boolean =>
  error instanceof NatsError &&
  [ErrorCode.AuthorizationViolation, ErrorCode.BadAuthentication].includes(error.code as ErrorCode);

/**
 * Connects to the broker. A broker that cannot be reached yet is tried again until it answers, so that the order in
 * which processes start does not matter; wrong credentials throw.
 */
export const openConnection = async (options: { url: string; name: string; logger: Logger }): Promise<Connection> => {
  const { url, name, logger } = options;
  const inboxPrefix = inboxPrefixOf(name);
  const nats = await connectPatiently(
    {
      ...connectionOptions(url),
      name,
      inboxPrefix,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
      pingInterval: 10_000,
      ignoreAuthErrorAbort: true,
      noAsyncTraces: true,
    },
    logger,
  );
  let up = true;
  let backSince = 0;
  const whenBack: (() => void)[] = [];

  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === Events.Disconnect) {
        up = false;
        logger.warn('lost the connection to the broker');
      } else if (status.type === Events.Reconnect) {
        up = true;
        backSince = Date.now();
        logger.info('connected to the broker again');
        for (const callback of whenBack) callback();
      } else if (status.type === Events.Error) {
        logger.error({ code: status.data, permission: status.permissionContext }, 'the broker reported an error');
      }
    }
  })();

  const isUp = () => up && !nats.isClosed();
  const assertUp = () => {
    if (!isUp()) throw unavailable('The connection to the message broker is broken');
  };
  return {
    nats,
    inboxPrefix,
    isUp,
    assertUp,
    onBack: (callback) => whenBack.push(callback),
    backSince: () => backSince,
    async ping() {
      assertUp();
      await within(pingTimeoutMs, nats.flush());
    },
    async close() {
      if (nats.isClosed()) return;
      await within(closeTimeoutMs, nats.drain()).catch(() => nats.close());
    },
  };
};

const connectPatiently = async (options: ConnectionOptions, logger: Logger): Promise<NatsConnection> => {
  for (let wait = 100; ; wait = Math.min(wait * 2, 2_000)) {
    try {
      return await connect(options);
    } catch (error) {
      if (isWrongCredentials(error)) throw error;
      logger.warn({ reason: error instanceof Error ? error.message : error }, 'the broker cannot be reached yet');
      await pause(wait);
    }
  }
};
