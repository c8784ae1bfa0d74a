import {
  CardinalError,
  type ConsumerContract,
  defineRequest,
  type ErrorCode,
  type EventContract,
} from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { testNats } from '@cardinal/testkit';
import { connect, type Msg } from 'nats';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import { type Bus, type BusOptions, connectBus, declareStreams } from '../src/index.ts';

/** A promise that the test settles. */
export const signal = <T = void>() => {
  let send: (value: T) => void = () => {};
  const sent = new Promise<T>((resolve) => {
    send = resolve;
  });
  return { send, sent };
};

let last = 0;

/** A contract of its own for a test: its subject belongs to no other test. */
export const anyContract = () => {
  last += 1;
  return defineRequest(
    `test${last}.echo`,
    z.object({ n: z.int(), text: z.string().optional() }),
    z.object({ n: z.int(), text: z.string().optional(), requestId: z.string().optional() }),
  );
};

/** A durable consumer of a test. */
export const aConsumer = (durable: string, ...events: EventContract[]): ConsumerContract => ({
  durable,
  service: 'card',
  events,
});

/** A matcher for `rejects.toSatisfy`. */
export const refusedWith = (code: ErrorCode) => (error: unknown) =>
  error instanceof CardinalError && error.code === code;

/** A broker for a test file and connections to it, which are closed at the end. */
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
    /** The deploy step, with a consumer of a test's own. */
    async declare(...consumer: Parameters<typeof aConsumer>): Promise<ConsumerContract> {
      const declared = aConsumer(...consumer);
      await declareStreams({ url: server().url, consumers: [declared] });
      return declared;
    },
    /** A plain client of the broker, as other software would be. */
    async plain() {
      const { username, password, host } = new URL(server().url);
      const nats = await connect({ servers: host, user: username, pass: password });
      opened.push(() => nats.close());
      return nats;
    },
    /** Records every message that is sent to a subject from now on; the result answers them at any time. */
    async watch(subject: string): Promise<() => Promise<Msg[]>> {
      const messages: Msg[] = [];
      const nats = await this.plain();
      nats.subscribe(subject, { callback: (_, message) => messages.push(message) });
      await nats.flush();
      return async () => {
        // The broker answers this after what it had for this connection before.
        await nats.flush();
        return messages;
      };
    },
  };
};
