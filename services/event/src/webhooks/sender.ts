import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { maxDeliveryError, release } from '@cardinal/contracts';
import type { buildConnector, Dispatcher } from 'undici';
import { createResolveName, type ResolveName } from './names.ts';
import { readRetryAfter } from './schedule.ts';

/** The outcome of an attempt. */
export interface Attempt {
  /** HTTP status of the answer; null without an answer. */
  status: number | null;
  /** Why the attempt failed; null if the receiver accepted the event. */
  error: string | null;
  /** The first KiB of the answer's body; null without an answer. */
  answer: string | null;
  /** Duration, ms. */
  milliseconds: number;
  /** The pause that the receiver asked for, ms. */
  retryAfterMs: number | undefined;
}

export interface SenderOptions {
  /** Whether the sender may connect to an address. */
  isAllowed: (address: string) => boolean;
  /** Timeout of an attempt, ms; 15 s by default. */
  timeoutMs?: number;
  /** Resolves host names; by DNS by default. */
  resolve?: ResolveName;
}

/** A request to a receiver. */
export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Attempts of one webhook share connections. */
  webhookId: string;
  /** Low priority: the process handles its other work first. For receivers that fail. */
  isPatient?: boolean;
}

export type Sender = ReturnType<typeof createSender>;

/** Bytes of an answer that are kept, and that are read. */
const [keptBytes, maxBytes] = [1_024, 65_536];
/**
 * An agent of undici scans all its connections to a host whenever one of them closes. Many agents keep that short: webhooks whose
 * ids end in the same characters share one.
 */
const agentKeyLength = 2;
/** Low-priority attempts that begin, or time out, in one iteration of the event loop. */
const attemptsPerIteration = 2;

class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  constructor() {
    super('the host is at no public address');
  }
}

/**
 * Creates a look-up that refuses names with an address that is not allowed. The connection uses the very addresses that were
 * checked, so DNS rebinding has no effect.
 */
const checkedLookup =
  ({ isAllowed, resolve = createResolveName() }: SenderOptions): LookupFunction =>
  (hostname, options, callback) => {
    const answer = (addresses: LookupAddress[]) => {
      const [first] = addresses;
      // A private address beside public ones is an attack, so a single one refuses the name.
      if (!first || !addresses.every(({ address }) => isAllowed(address))) callback(new AddressRefused(), []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    };
    resolve(hostname).then(answer, (error: Error) => callback(error, []));
  };

const checkedConnector =
  (connect: buildConnector.connector, options: SenderOptions): buildConnector.connector =>
  (to, callback) => {
    const host = to.hostname.replace(/^\[|\]$/g, '');
    // An address in the URL is not looked up, so it is checked here.
    if (isIP(host) !== 0 && !options.isAllowed(host)) return callback(new AddressRefused(), null);
    connect(to, callback);
  };

/** Loads undici and opens agents. Loaded on first use: it takes an eighth of the start, and most processes have no webhook. */
const openAgents = async (options: SenderOptions, timeoutMs: number) => {
  const { Agent, buildConnector, request } = await import('undici');
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, lookup: checkedLookup(options) } as object);
  const open = () =>
    new Agent({
      connect: checkedConnector(connect, options),
      allowH2: false,
      pipelining: 1,
      // The abort signal of each attempt is its timeout.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  const agents = new Map<string, InstanceType<typeof Agent>>();
  const agentOf = (webhookId: string) => {
    const key = webhookId.slice(-agentKeyLength);
    const agent = agents.get(key) ?? open();
    agents.set(key, agent);
    return agent;
  };
  const close = async (): Promise<void> => {
    await Promise.all([...agents.values()].map((agent) => agent.destroy()));
  };
  return { agentOf, request, close };
};

/** Creates a gate that admits a few callers per iteration of the event loop, so that other work runs between them. */
const createGate = () => {
  let last: Promise<unknown> = Promise.resolve();
  let admitted = 0;
  return (): Promise<unknown> => {
    if (admitted % attemptsPerIteration === 0) last = last.then(() => setImmediate());
    admitted += 1;
    return last;
  };
};

/**
 * Creates the HTTP client for untrusted receivers (CONTRACT 10.4): it follows no redirects, uses no proxies of the environment,
 * connects to allowed addresses only, and limits time and size. It keeps connections alive for further attempts.
 */
export const createSender = (options: SenderOptions) => {
  const { timeoutMs = 15_000 } = options;
  let opened: ReturnType<typeof openAgents> | undefined;
  // A thousand attempts that begin or time out at the same moment do not delay those that are answered.
  const gate = createGate();

  return {
    /** Timeout of an attempt, ms. */
    timeoutMs,
    /** Posts a message. Never throws: a failure is in the returned attempt. */
    async send({ url, headers, body, webhookId, isPatient = false }: Message): Promise<Attempt> {
      if (isPatient) await gate();
      const begunAt = performance.now();
      const ended = (rest: Omit<Attempt, 'milliseconds'>): Attempt => ({
        ...rest,
        milliseconds: Math.round(performance.now() - begunAt),
      });
      const timeout = new AbortController();
      const timer = setTimeout(() => void gate().then(() => timeout.abort()), timeoutMs);
      try {
        opened ??= openAgents(options, timeoutMs);
        const { agentOf, request } = await opened;
        const response = await request(url, {
          dispatcher: agentOf(webhookId),
          method: 'POST',
          body,
          signal: timeout.signal,
          headers: { 'content-type': 'application/json', 'user-agent': `Cardinal-Webhooks/${release}`, ...headers },
        });
        const { statusCode: status } = response;
        const retryAfter = response.headers['retry-after'];
        return ended({
          status,
          error: errorOfStatus(status),
          answer: await firstKiB(response.body),
          retryAfterMs: readRetryAfter(typeof retryAfter === 'string' ? retryAfter : undefined, Date.now()),
        });
      } catch (error) {
        const what = timeout.signal.aborted ? `no answer within ${timeoutMs / 1_000} s` : reasonOf(error);
        return ended({ status: null, error: what, answer: null, retryAfterMs: undefined });
      } finally {
        clearTimeout(timer);
        // Afterwards the connection is free, and the next attempt can reuse it.
        await setImmediate();
      }
    },
    /** Closes all connections. Attempts under way fail. */
    close: async (): Promise<void> => (await opened)?.close(),
  };
};

/** Returns the error of an answer; null for a 2xx. */
const errorOfStatus = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `answered ${status}: redirects are not followed` : `answered ${status}`;
};

/**
 * Returns the first KiB of an answer. Reads to the end, so that the connection can be reused, but 64 KiB at most. An answer that
 * breaks off counts all the same, because its status has arrived.
 */
const firstKiB = async (body: Dispatcher.ResponseData['body']): Promise<string> => {
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (bytes < keptBytes) kept.push(chunk.subarray(0, keptBytes - bytes));
      bytes += chunk.length;
      if (bytes > maxBytes) break;
    }
  } catch {
    // The status decides.
  }
  // Postgres text cannot hold NUL.
  return Buffer.concat(kept).toString().replaceAll('\0', '\ufffd');
};

/** Returns the error text of an attempt without an answer (the `error` of a delivery). */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  const texts: Record<string, string> = {
    ECONNREFUSED: 'the connection was refused',
    ECONNRESET: 'the connection was closed',
    EPIPE: 'the connection was closed',
    UND_ERR_SOCKET: 'the connection was closed',
    EHOSTUNREACH: 'the host cannot be reached',
    ENETUNREACH: 'the host cannot be reached',
    ENOTFOUND: 'the host is unknown',
    ENODATA: 'the host is unknown',
    ETIMEDOUT: 'no connection in time',
    UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  };
  const isSystemError = typeof syscall === 'string';
  const isOfDns = isSystemError && syscall.startsWith('query');
  if (isOfDns && code !== 'ENOTFOUND' && code !== 'ENODATA') return 'the host could not be looked up';
  // Messages of the system contain addresses, which must not be shown to clients.
  const otherwise = isSystemError ? `the connection failed: ${code}` : error.message || String(code);
  return ((typeof code === 'string' && texts[code]) || otherwise).slice(0, maxDeliveryError).toWellFormed();
};
