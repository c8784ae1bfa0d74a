import { unavailable } from '@cardinal/contracts';
import { firstOf, type Logger } from '@cardinal/runtime';
import { type ConnectionOptions, DebugEvents, Events, type NatsConnection } from 'nats';
import { type Broker, connectionOptions } from './broker.ts';
import { inboxPrefixOf } from './names.ts';
import { measureRoundTrips } from './round-trips.ts';
import { connect, leaveServer } from './transport.ts';

const pingTimeoutMs = 1_000;
const closeTimeoutMs = 2_000;
/** How long a server may take to greet; then the next one is tried. */
const greetingMs = 1_000;

/** The one connection of a process to the broker; it reconnects for ever. */
export type Connection = Awaited<ReturnType<typeof openConnection>>;

/** Connects to the broker, and tries until that is there; `checkBroker` says before why it cannot be used. */
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
      logger.warn('the server of the broker is silent: another one is tried');
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
        logger.debug({ server: status.data }, 'a server of the broker is tried');
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
    /** The prefix of our inboxes; other users cannot subscribe there. */
    inboxPrefix,
    isUp,
    /** Throws `unavailable` while the connection is broken, since nats.js would only buffer what is sent. */
    assertUp,
    /** Calls back each time that the connection stands again after it broke. */
    onBack: (callback: () => void) => void whenBack.push(callback),
    /** When that was last, epoch ms; 0 where it never broke. */
    backSince: () => backSince,
    /** How long what is read now may have waited, in the network or in this process, ms; 0 while all is well. */
    waitedAtMost: roundTrips.waitedAtMost,
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

/** A busy server closes a connection that took too long to greet it; so often such a one is made anew. */
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

/** Connects for as long as `work` takes, with the inbox of the deploy step's user. */
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
