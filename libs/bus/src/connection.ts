import { unavailable } from '@cardinal/contracts';
import { firstOf, type Logger } from '@cardinal/runtime';
import { type ConnectionOptions, DebugEvents, Events, type NatsConnection } from 'nats';
import { type Broker, connectionOptions } from './broker.ts';
import { inboxPrefixOf } from './names.ts';
import { measureRoundTrips } from './round-trips.ts';
import { connect, leaveServer } from './transport.ts';

const pingTimeoutMs = 1_000;
const closeTimeoutMs = 2_000;
/** How long a server may take to greet before the next one is tried, ms. */
const greetingMs = 1_000;

/** The single connection of a process to the broker. It reconnects for ever. */
export type Connection = Awaited<ReturnType<typeof openConnection>>;

/** Connects to the broker, and retries until it answers. `checkBroker` reports permanent problems before. */
export const openConnection = async ({ url, ca, name, logger }: Broker & { name: string; logger: Logger }) => {
  const inboxPrefix = inboxPrefixOf(name);
  const nats = await connect({
    ...connectionOptions({ url, ca }),
    name,
    inboxPrefix,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    timeout: greetingMs,
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
  });
  let up = true;
  let backSince = 0;
  const whenBack: (() => void)[] = [];

  const isUp = () => up && !nats.isClosed();
  const roundTrips = measureRoundTrips(nats, {
    isUp,
    onSilent: () => {
      logger.warn('the server of the broker does not answer: trying another one');
      void leaveServer(nats);
    },
  });

  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === Events.Disconnect) {
        up = false;
        logger.warn({ server: status.data }, 'lost the connection to the broker');
      } else if (status.type === Events.Reconnect) {
        up = true;
        backSince = Date.now();
        roundTrips.restart();
        logger.info({ server: status.data }, 'connected to the broker again');
        for (const callback of whenBack) callback();
      } else if (status.type === DebugEvents.Reconnecting) {
        logger.debug({ server: status.data }, 'trying a server of the broker');
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

  const assertUp = () => {
    if (!isUp()) throw unavailable('The connection to the message broker is broken');
  };
  return {
    nats,
    /** Prefix of this user's inboxes. Other users cannot subscribe there. */
    inboxPrefix,
    isUp,
    /** Throws `unavailable` while the connection is down: nats.js would only buffer messages. */
    assertUp,
    /** Registers a callback for each reconnect. */
    onBack: (callback: () => void) => void whenBack.push(callback),
    /** Time of the last reconnect, epoch ms; 0 without one. */
    backSince: () => backSince,
    /** The longest that a message read now may have waited in network or process, ms; 0 in the normal case. */
    waitedAtMost: roundTrips.waitedAtMost,
    /** Number of accepted pieces of work. */
    inHand: () => inHand,
    /** Counts work as in hand until it ends. The process finishes it before it stops. */
    track(work: Promise<unknown>): void {
      inHand += 1;
      work.then(done, done);
    },
    /** Waits until nothing is in hand, at most `timeoutMs`. @returns whether everything was finished */
    async finished(timeoutMs: number): Promise<boolean> {
      const idle = Promise.withResolvers<boolean>();
      onIdle = () => idle.resolve(true);
      return inHand === 0 || firstOf(idle.promise, timeoutMs, () => false);
    },
    /** Makes a round trip to the broker. @throws CardinalError `unavailable` after 1 s */
    async ping() {
      assertUp();
      await within(pingTimeoutMs, nats.flush());
    },
    /** Sends buffered messages and closes. */
    async close() {
      if (nats.isClosed()) return;
      await within(closeTimeoutMs, nats.drain()).catch(() => nats.close());
    },
  };
};

/** Waits for the broker, at most `ms`. @throws CardinalError `unavailable` after that */
export const within = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  firstOf(work, ms, () => {
    throw unavailable('The message broker does not answer');
  });

/** A busy server closes a connection whose greeting took too long. Such a connection is retried so many times. */
const maxGreetings = 5;

const greeted = async (open: () => Promise<NatsConnection>, greetings = 1): Promise<NatsConnection> => {
  try {
    return await open();
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (greetings === maxGreetings || !['EPIPE', 'ECONNRESET'].includes(code)) throw error;
    return greeted(open, greetings + 1);
  }
};

/** Connects with the deploy step's user while `work` runs. */
export const onBroker = async <Result>(
  broker: Broker,
  options: Pick<ConnectionOptions, 'name' | 'timeout'>,
  work: (nats: NatsConnection) => Promise<Result>,
): Promise<Result> => {
  const own = { inboxPrefix: inboxPrefixOf('deploy'), reconnect: false };
  const nats = await greeted(() => connect({ ...connectionOptions(broker), ...own, ...options }));
  try {
    return await work(nats);
  } finally {
    await nats.close();
  }
};
