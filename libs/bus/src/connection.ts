import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '@cardinal/contracts';
import { busUrlProblem, connectionProblem, firstOf, type Logger, ServerProblem } from '@cardinal/runtime';
import { type ConnectionOptions, connect, ErrorCode, Events, type NatsConnection, NatsError } from 'nats';
import { inboxPrefixOf } from './names.ts';

const pingTimeoutMs = 1_000;
const closeTimeoutMs = 2_000;
const freshnessEveryMs = 250;

/** The one connection of a process to the broker; it reconnects for ever. */
export type Connection = Awaited<ReturnType<typeof openConnection>>;

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

const isWrongCredentials = (error: unknown): boolean =>
  error instanceof NatsError &&
  [ErrorCode.AuthorizationViolation, ErrorCode.BadAuthentication].includes(error.code as ErrorCode);

/**
 * Connects to the broker. A broker that cannot be reached yet is tried again until it answers, so that the order in
 * which processes start does not matter; wrong credentials throw.
 */
export const openConnection = async ({ url, name, logger }: { url: string; name: string; logger: Logger }) => {
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

  // The broker answers a round trip behind all that it sent before: whatever comes after the answer was sent after it began.
  let freshSince = performance.now();
  let asking = false;
  const askForFreshness = async () => {
    if (asking || !up) return;
    asking = true;
    const begun = performance.now();
    await nats.flush().then(
      () => {
        freshSince = Math.max(freshSince, begun);
      },
      () => {},
    );
    asking = false;
  };
  const freshness = setInterval(askForFreshness, freshnessEveryMs).unref();
  void nats.closed().then(() => clearInterval(freshness));

  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === Events.Disconnect) {
        up = false;
        logger.warn('lost the connection to the broker');
      } else if (status.type === Events.Reconnect) {
        up = true;
        backSince = Date.now();
        freshSince = performance.now();
        logger.info('connected to the broker again');
        for (const callback of whenBack) callback();
      } else if (status.type === Events.Error) {
        logger.error({ code: status.data, permission: status.permissionContext }, 'the broker reported an error');
      }
    }
  })();

  let inHand = 0;
  let onIdle = () => {};
  const done = () => {
    inHand -= 1;
    if (inHand === 0) onIdle();
  };

  const isUp = () => up && !nats.isClosed();
  const assertUp = () => {
    if (!isUp()) throw unavailable('The connection to the message broker is broken');
  };
  return {
    nats,
    /** What our inboxes begin with; others cannot listen there. */
    inboxPrefix,
    isUp,
    /** Throws `unavailable` while the connection is broken, since nats.js would only buffer what is sent. */
    assertUp,
    /** Calls back each time that the connection stands again after it broke. */
    onBack: (callback: () => void) => void whenBack.push(callback),
    /** When that was last, epoch ms; 0 where it never broke. */
    backSince: () => backSince,
    /** How long what is read now may have waited, in the network or in this process, ms; 0 while all is well. */
    waitedAtMost: () => Math.max(0, performance.now() - freshSince - 2 * freshnessEveryMs),
    /** How much work that came over it is in hand. */
    inHand: () => inHand,
    /** Counts work as in hand until it ends: it was accepted, and must be finished before the process stops. */
    track(work: Promise<unknown>): void {
      inHand += 1;
      work.then(done, done);
    },
    /** Resolves when nothing is in hand, or after `timeoutMs`; says whether everything was finished. */
    async finished(timeoutMs: number): Promise<boolean> {
      const idle = Promise.withResolvers<boolean>();
      onIdle = () => idle.resolve(true);
      return inHand === 0 || firstOf(idle.promise, timeoutMs, () => false);
    },
    /** A round trip to the broker; throws `unavailable` after 1 s. */
    async ping() {
      assertUp();
      await within(pingTimeoutMs, nats.flush());
    },
    /** Sends what is still buffered and closes. */
    async close() {
      if (nats.isClosed()) return;
      await within(closeTimeoutMs, nats.drain()).catch(() => nats.close());
    },
  };
};

/** Waits for work of the broker's for at most `ms`. @throws CardinalError `unavailable` when the time is up */
export const within = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  firstOf(work, ms, () => {
    throw unavailable('The message broker does not answer');
  });

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

/** Connects for as long as `work` takes, with the inbox of the deploy step's user. */
export const onBroker = async <Result>(
  url: string,
  options: Pick<ConnectionOptions, 'name' | 'timeout'>,
  work: (nats: NatsConnection) => Promise<Result>,
): Promise<Result> => {
  const own = { inboxPrefix: inboxPrefixOf('deploy'), reconnect: false };
  const nats = await connect({ ...connectionOptions(url), ...own, ...options });
  try {
    return await work(nats);
  } finally {
    await nats.close();
  }
};

/**
 * Connects once and looks whether the broker will do.
 * @param options.jetStream whether the user of the URL must be able to make streams
 * @throws ServerProblem where it will not, within a few seconds
 */
export const checkBroker = async (url: string, { jetStream = false } = {}): Promise<void> => {
  const misspelt = busUrlProblem(url);
  if (misspelt) throw new ServerProblem('wrong', `NATS_URL: ${misspelt}`);
  const timeout = 3_000;
  await onBroker(url, { name: 'cardinal-check', timeout }, async (nats) => {
    if (jetStream) await nats.jetstreamManager({ timeout });
  }).catch((error) => Promise.reject(brokerProblem(error, url)));
};

/** Error codes of JetStream's API (server/errors.json): no room on the server or for the account. */
const noRoom = [10_002, 10_023, 10_028, 10_047];
const notEnabled = [10_039, 10_076];

/** What an error of the broker at `url` means for whoever set `NATS_URL`. */
export const brokerProblem = (error: unknown, url: string): ServerProblem => {
  if (error instanceof ServerProblem) return error;
  const servers = [connectionOptions(url).servers ?? []].flat();
  const server = servers.map((one) => (/:\d+$/.test(one) ? one : `${one}:4222`)).join(', ');
  const problem = (kind: ServerProblem['kind'], text: string) =>
    new ServerProblem(kind, `NATS_URL: ${text}`, { cause: error });
  const { code, message = String(error) } = error as { code?: string; message?: string };
  const refused = error instanceof NatsError ? error.api_error : undefined;
  if (isWrongCredentials(error)) return problem('wrong', `NATS at ${server} refuses user and password; correct them`);
  if (code === ErrorCode.JetStreamNotEnabled || notEnabled.includes(refused?.err_code ?? 0)) {
    return problem('wrong', `NATS at ${server} has no JetStream for this user; start it as: nats-server --jetstream`);
  }
  if (refused && noRoom.includes(refused.err_code ?? 0)) {
    const cause = `has no room for the stream of events (${refused.description})`;
    return problem('wrong', `NATS at ${server} ${cause}; raise max_file_store, or lower EVENT_STREAM_BYTES`);
  }
  if (code === ErrorCode.Timeout || code === ErrorCode.ConnectionTimeout || /unexpected response/.test(message)) {
    return problem('away', `${server} does not greet as NATS does; correct host and port (NATS itself is at 4222)`);
  }
  const closed = code === ErrorCode.ConnectionRefused ? 'ECONNREFUSED' : code;
  return (
    connectionProblem('NATS_URL', server, closed) ??
    problem('wrong', `NATS at ${server} cannot be used: ${message}; correct the URL or the server`)
  );
};
