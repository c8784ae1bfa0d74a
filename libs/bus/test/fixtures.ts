import { CardinalError, defineRequest, type ErrorCode } from '@cardinal/contracts';
import { createLogger, newContext, runInContext } from '@cardinal/runtime';
import { testNats } from '@cardinal/testkit';
import { connect, type Msg } from 'nats';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import { type Bus, type BusOptions, connectBus } from '../src/index.ts';
import type { Handler } from '../src/requests/work.ts';

/** A promise that the test settles. */
export const signal = () => {
  const { promise: sent, resolve: send } = Promise.withResolvers<void>();
  return { send, sent };
};

/** Time for a busy machine. */
export const soon = { timeout: 60_000 };

/** Runs something as a request with a deadline. */
export const within = <T>(timeoutMs: number, fn: () => T): T => runInContext(newContext({ timeoutMs }), fn);

let last = 0;

/** Makes a contract whose subject no other test uses. */
export const anyContract = () => {
  last += 1;
  return defineRequest(
    `test${last}.echo`,
    z.object({ n: z.int(), text: z.string().optional() }),
    z.object({ n: z.int(), text: z.string().optional(), requestId: z.string().optional() }),
  );
};

type Contract = ReturnType<typeof anyContract> & { setsState?: boolean };

/** Makes a matcher for `rejects.toSatisfy`. */
export const refusedWith = (code: ErrorCode) => (error: unknown) =>
  error instanceof CardinalError && error.code === code;

interface Setting {
  contract?: Contract;
  serverAt?: string;
  clientAt?: string;
}

/** Starts a broker for a test file, and makes connections, which are closed at the end. */
export const useBroker = () => {
  let broker: Awaited<ReturnType<typeof testNats>> | undefined;
  const opened: (() => Promise<unknown>)[] = [];
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    service: 'test',
    level: 'debug',
    destination: { write: (line) => lines.push(JSON.parse(line)) },
  });

  beforeAll(async () => {
    broker = await testNats();
  });
  afterAll(async () => {
    await Promise.all(opened.map((close) => close()));
    await broker?.stop();
  });

  const server = () => {
    if (!broker) throw new Error('the broker is not up yet');
    return broker;
  };
  return {
    server,
    lines,
    logger,
    async bus(options: Partial<BusOptions> = {}): Promise<Bus> {
      const bus = await connectBus({
        url: server().url,
        name: 'test',
        logger,
        drainTimeoutMs: 500,
        callTimeoutMs: 60_000,
        ...options,
      });
      opened.push(() => bus.drain());
      return bus;
    },
    /** A bus that serves a contract, and one that calls it; both at the broker, unless another one is named. */
    async serving(
      handler: Handler<Contract['request'], Contract['reply']>,
      { contract = anyContract(), serverAt = server().url, clientAt = server().url }: Setting = {},
    ) {
      const [serving, client] = [await this.bus({ url: serverAt }), await this.bus({ url: clientAt })];
      serving.serve(contract, handler);
      await serving.ping();
      return { contract, server: serving, client };
    },
    /** A plain client of the broker, as other software would use. */
    async plain() {
      const { username, password, host } = new URL(server().url);
      const nats = await connect({ servers: host, user: username, pass: password });
      opened.push(() => nats.close());
      return nats;
    },
    /** Records every message to a subject from now on. The result returns them at any time. */
    async watch(subject: string): Promise<() => Promise<Msg[]>> {
      const messages: Msg[] = [];
      const nats = await this.plain();
      nats.subscribe(subject, { callback: (_, message) => messages.push(message) });
      await nats.flush();
      return async () => {
        // The broker answers this after everything before.
        await nats.flush();
        return messages;
      };
    },
  };
};
