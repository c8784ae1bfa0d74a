import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { maxDeliveryError, release } from '@cardinal/contracts';
import type { buildConnector, Dispatcher } from 'undici';
import { createResolveName, type ResolveName } from './names.ts';
import { readRetryAfter } from './schedule.ts';

/** What became of an attempt. */
export interface Attempt {
  /** Of the answer; null where none came. */
  status: number | null;
  /** Why it was not taken; null where it was. */
  error: string | null;
  /** The first KiB of the answer. */
  answer: string | null;
  milliseconds: number;
  retryAfterMs: number | undefined;
}

export interface SenderOptions {
  /** Whether an address may be connected to. */
  isAllowed: (address: string) => boolean;
  /** How long a receiver may take, ms; 15 s by default. */
  timeoutMs?: number;
  /** Looks names up; in DNS by default. */
  resolve?: ResolveName;
}

/** What is sent to a webhook. */
export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Its attempts share connections. */
  webhookId: string;
  /** It waits until what came in before it is handled. */
  isPatient?: boolean;
}

export type Sender = ReturnType<typeof createSender>;

const [keptBytes, maxBytes] = [1_024, 65_536];
/**
 * An agent of undici looks at all of its connections to a host when one of them ends. So there are many agents: one for each
 * end of an id, of so many characters.
 */
const sharedLetters = 2;
/** Attempts of receivers that hang that begin or end in one turn of the event loop. */
const passingAtOnce = 2;

class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  constructor() {
    super('the host is at no public address');
  }
}

/**
 * Resolves names to addresses that are allowed. The addresses that are looked at are those that are connected to, so a
 * name that changes its mind in between gains nothing.
 */
const checkedLookup =
  ({ isAllowed, resolve = createResolveName() }: SenderOptions): LookupFunction =>
  (hostname, options, callback) => {
    const answer = (addresses: LookupAddress[]) => {
      const [first] = addresses;
      // One inner address among several is no accident.
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
    // Nobody looks up what is an address already.
    if (isIP(host) !== 0 && !options.isAllowed(host)) return callback(new AddressRefused(), null);
    connect(to, callback);
  };

/** Loads undici, which takes an eighth of a start, and most have no webhook. */
const openAgents = async (options: SenderOptions, timeoutMs: number) => {
  const { Agent, buildConnector, request } = await import('undici');
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, lookup: checkedLookup(options) } as object);
  const open = () =>
    new Agent({
      connect: checkedConnector(connect, options),
      allowH2: false,
      pipelining: 1,
      // The signal of each attempt bounds the whole of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  const agents = new Map<string, InstanceType<typeof Agent>>();
  const agentOf = (webhookId: string) => {
    const key = webhookId.slice(-sharedLetters);
    const agent = agents.get(key) ?? open();
    agents.set(key, agent);
    return agent;
  };
  const close = async (): Promise<void> => {
    await Promise.all([...agents.values()].map((agent) => agent.destroy()));
  };
  return { agentOf, request, close };
};

/** Lets a few pass at a time, and what came in meanwhile before the next ones. */
const createGate = () => {
  let last: Promise<unknown> = Promise.resolve();
  let passing = 0;
  return (): Promise<unknown> => {
    if (passing % passingAtOnce === 0) last = last.then(() => setImmediate());
    passing += 1;
    return last;
  };
};

/**
 * Sends to receivers that nobody here knows: no redirects, no proxies of the environment, no inner addresses, bounded in
 * time and size. Connections are kept for further attempts.
 */
export const createSender = (options: SenderOptions) => {
  const { timeoutMs = 15_000 } = options;
  let opened: ReturnType<typeof openAgents> | undefined;
  // A thousand attempts that end or begin in one moment do not hold up those that are answered.
  const gate = createGate();

  return {
    /** How long an attempt may take, ms. */
    timeoutMs,
    /** Posts a message. Never throws: what fails is said. */
    async send({ url, headers, body, webhookId, isPatient = false }: Message): Promise<Attempt> {
      if (isPatient) await gate();
      const begunAt = performance.now();
      const ended = (rest: Omit<Attempt, 'milliseconds'>): Attempt => ({
        ...rest,
        milliseconds: Math.round(performance.now() - begunAt),
      });
      const late = new AbortController();
      const timer = setTimeout(() => void gate().then(() => late.abort()), timeoutMs);
      try {
        opened ??= openAgents(options, timeoutMs);
        const { agentOf, request } = await opened;
        const response = await request(url, {
          ...{ dispatcher: agentOf(webhookId), method: 'POST', body, signal: late.signal },
          headers: { 'content-type': 'application/json', 'user-agent': `Cardinal-Webhooks/${release}`, ...headers },
        });
        const { statusCode: status } = response;
        const retryAfter = response.headers['retry-after'];
        return ended({
          status,
          error: problemOf(status),
          answer: await firstKiB(response.body),
          retryAfterMs: readRetryAfter(typeof retryAfter === 'string' ? retryAfter : undefined, Date.now()),
        });
      } catch (error) {
        const what = late.signal.aborted ? `no answer within ${timeoutMs / 1_000} s` : reasonOf(error);
        return ended({ status: null, error: what, answer: null, retryAfterMs: undefined });
      } finally {
        clearTimeout(timer);
        // Its connection is free after this: the next attempt need not open another.
        await setImmediate();
      }
    },
    close: async (): Promise<void> => (await opened)?.close(),
  };
};

const problemOf = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `answered ${status}: redirects are not followed` : `answered ${status}`;
};

/** Reads an answer to its end, so that its connection can be kept, or to 64 KiB. One that breaks off has a status all the same. */
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
    // Its status has come.
  }
  // Postgres keeps no NUL.
  return Buffer.concat(kept).toString().replaceAll('\0', '\ufffd');
};

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
  const isOfSystem = typeof syscall === 'string';
  const isOfNames = isOfSystem && syscall.startsWith('query');
  if (isOfNames && code !== 'ENOTFOUND' && code !== 'ENODATA') return 'the host could not be looked up';
  // What the system says has addresses in it.
  const untold = isOfSystem ? `the connection failed: ${code}` : error.message || String(code);
  return ((typeof code === 'string' && texts[code]) || untold).slice(0, maxDeliveryError).toWellFormed();
};
