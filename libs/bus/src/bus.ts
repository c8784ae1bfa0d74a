import { AsyncLocalStorage } from 'node:async_hooks';
import {
  CardinalError,
  type Document,
  type InternalEvent,
  type RequestContract,
  registerOf,
  replyOf,
  type SignalContract,
  unavailable,
} from '@cardinal/contracts';
import { type Logger, span } from '@cardinal/runtime';
import type { Msg, Subscription } from 'nats';
import type { z } from 'zod';
import type { Broker } from './broker.ts';
import { openConnection, within } from './connection.ts';
import { isPing, pingOf, serviceOf } from './names.ts';
import { openRegister } from './register.ts';
import { openAnswerSender } from './requests/answers.ts';
import { startCaller } from './requests/caller.ts';
import { callLocally, type Listener, type LocalCalls } from './requests/local.ts';
import { serve } from './requests/server.ts';
import { malformedRequest } from './requests/wire.ts';
import { type Handler, workOf } from './requests/work.ts';

const unsubscribeTimeoutMs = 2_000;

export interface BusOptions extends Broker {
  /** Name of the service, shown by the broker for its connection. */
  name: string;
  logger: Logger;
  /** Longest time of a call, ms, where its context allows more; default 10 s. */
  callTimeoutMs?: number;
  /** Longest time of `callBestEffort`, ms; default 250 (ARCHITECTURE, "Projections"). */
  bestEffortTimeoutMs?: number;
  /** Whether replies that are passed on unparsed are checked against their contracts; default no. */
  checkReplies?: boolean;
  /** Rejects while the service cannot work: then it does not answer `pingOf` itself either. */
  health?: () => Promise<void>;
  /** Shared by the services of one process (`createLocalCalls`); absent where each has its own process. */
  local?: LocalCalls | undefined;
  /** How long `drain` waits for work in hand, ms; default 10 s. */
  drainTimeoutMs?: number;
}

export type Bus = Awaited<ReturnType<typeof connectBus>>;

/** Connects a service to the bus (ARCHITECTURE, "Bus"). */
export const connectBus = async (options: BusOptions) => {
  const { logger, callTimeoutMs = 10_000, bestEffortTimeoutMs = 250, drainTimeoutMs = 10_000 } = options;
  const { health = async () => {}, local } = options;
  const connection = await openConnection(options);
  const caller = startCaller({ connection, logger });
  const sender = openAnswerSender(connection);
  const subscriptions: Subscription[] = [];
  /** Subjects. */
  const served = new Set<string>();
  /** By signal. */
  const listening: [string, Listener][] = [];
  let draining: Promise<void> | undefined;

  const drain = async () => {
    // From now on, calls go to other processes of the service.
    for (const subject of served) local?.requests.delete(subject);
    for (const [signal, listener] of listening) local?.listeners.get(signal)?.delete(listener);
    const unsubscribed = connection.isUp() ? subscriptions.map((subscription) => subscription.drain()) : [];
    await within(unsubscribeTimeoutMs, Promise.all(unsubscribed)).catch((error) =>
      logger.warn({ err: error }, 'the connection to the broker broke while stopping'),
    );
    if (!(await connection.finished(drainTimeoutMs))) logger.warn('work in hand was abandoned while stopping');
    // Answers leave at the end of the tick in which they are ready.
    await new Promise((resolve) => setImmediate(resolve));
    caller.close();
    await connection.close();
  };

  /**
   * Sends a request like `call`, without parsing the request or the reply's text. For callers that pass on what they
   * have checked. The serving side parses the request.
   * @throws CardinalError as `call`
   */
  const fetch = async <Request extends z.ZodType, Reply extends z.ZodType>(
    contract: RequestContract<Request, Reply>,
    request: z.input<Request>,
    { timeoutMs = callTimeoutMs }: { timeoutMs?: number } = {},
  ): Promise<Document<z.output<Reply>>> => {
    const { subject } = contract;
    const attributes = { 'messaging.system': 'nats', 'messaging.destination.name': subject };
    const here = local?.requests.get(subject);
    const send = async () => {
      if (here) return callLocally(here, contract, request, { caller: options.name, timeoutMs, logger });
      // Another process would answer, and this one would count as ready before its own service is.
      if (isPing(subject) && local?.services.has(serviceOf(contract)))
        throw unavailable(`${subject} is not served yet`);
      return caller.call(contract, request, timeoutMs);
    };
    const document = await (isPing(subject) ? send() : span(subject, attributes, send, 'client'));
    if (options.checkReplies) checked(contract, document);
    return document as Document<never>;
  };

  const checked = <Reply extends z.ZodType>(
    { subject, reply }: RequestContract<z.ZodType, Reply>,
    document: Document,
  ) => {
    const result = reply.safeParse(replyOf(document));
    if (result.success) return result.data;
    logger.error({ err: result.error, subject }, 'the reply breaks its contract');
    throw new CardinalError('internal', `Malformed reply of ${subject}`);
  };

  /**
   * Sends a request to the service of the contract and returns the reply. The deadline is that of the current context.
   * @param how.timeoutMs a shorter time for this call, ms
   * @throws CardinalError the server's error; `unavailable` without an answer in time or a connection to the broker
   */
  const call = async <Request extends z.ZodType, Reply extends z.ZodType>(
    contract: RequestContract<Request, Reply>,
    request: z.input<Request>,
    how?: { timeoutMs?: number },
  ): Promise<z.output<Reply>> => {
    const { success } = contract.request.safeParse(request);
    if (!success) throw new CardinalError('invalid_request', malformedRequest(contract.subject));
    return checked(contract, await fetch(contract, request, how));
  };

  const begin = <Request extends z.ZodType, Reply extends z.ZodType>(
    contract: RequestContract<Request, Reply>,
    handler: Handler<Request, Reply>,
  ): void => {
    const work = workOf({ connection, logger }, contract, handler);
    subscriptions.push(serve({ connection, sender, logger }, contract, work));
    served.add(contract.subject);
    local?.requests.set(contract.subject, { service: options.name, work });
  };

  return {
    call,
    fetch,
    /**
     * Hands an internal event to the projecting service, before the writer is answered. Never throws: where that fails
     * within 250 ms the writer is answered anyway, and the projection reads the event from the feed.
     */
    async callBestEffort<Request extends z.ZodType, Reply extends z.ZodType>(
      contract: RequestContract<Request, Reply>,
      event: z.input<Request> & Pick<InternalEvent, 'id'>,
    ): Promise<void> {
      try {
        await call(contract, event, { timeoutMs: bestEffortTimeoutMs });
      } catch (error) {
        const { subject } = contract;
        logger.warn({ err: error, subject, event_id: event.id }, 'an event reaches its projection by the feed alone');
      }
    },
    /** Serves the contract and the service's `pingOf` from now on, together with the service's other instances. */
    serve<Request extends z.ZodType, Reply extends z.ZodType>(
      contract: RequestContract<Request, Reply>,
      handler: Handler<Request, Reply>,
    ): void {
      const ping = pingOf(serviceOf(contract));
      if (!served.has(ping.subject)) begin(ping, () => health().then(() => ({})));
      begin(contract, handler);
    },
    /**
     * Sends a signal to the present listeners (`SignalContract`). Those of this process that every process has are called
     * before it returns, and once more by the broker.
     * @returns whether it was sent
     */
    signal<Data extends z.ZodType>({ signal, data }: SignalContract<Data>, content: z.input<Data>): boolean {
      const text = JSON.stringify(data.parse(content));
      for (const listener of local?.listeners.get(signal) ?? []) listener(text);
      if (!connection.isUp() || connection.nats.isDraining()) return false;
      connection.nats.publish(signal, text);
      return true;
    },
    /** Handles a signal from now on. A malformed signal or an error of the handler is logged. */
    onSignal<Data extends z.ZodType>(
      { signal, data, each }: SignalContract<Data>,
      handler: (content: z.output<Data>) => unknown,
    ): void {
      const handle = async (refused: Error | null, text: () => string) => {
        try {
          if (refused) throw refused;
          await handler(data.parse(JSON.parse(text())));
        } catch (error) {
          logger.warn({ err: error, signal }, 'a signal could not be handled');
        }
      };
      const callback = (refused: Error | null, message: Msg) => void handle(refused, () => message.string());
      const queue = each === 'service' ? { queue: options.name } : {};
      subscriptions.push(connection.nats.subscribe(signal, { ...queue, callback }));
      if (!local || each === 'service') return;
      const inOwnScope = AsyncLocalStorage.snapshot();
      const listener: Listener = (text) => void inOwnScope(handle, null, () => text);
      listening.push([signal, listener]);
      local.listeners.set(signal, (local.listeners.get(signal) ?? new Set()).add(listener));
    },
    /** The service's register, which outlives the databases. For services without one, the broker refuses access. */
    register: openRegister({ ...connection, logger }, registerOf(options.name) ?? 'numbers'),
    /** Whether the connection is up and requests are served. */
    isHealthy: () => !draining && connection.isUp(),
    /** Makes a round trip to the broker. @throws CardinalError `unavailable` */
    ping: connection.ping,
    /** Serves no further request, finishes those in hand (for a limited time), sends their answers and closes. */
    drain(): Promise<void> {
      draining ??= drain();
      return draining;
    },
  };
};
