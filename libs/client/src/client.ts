import { type Attempt, exchange, jsonOf, type Outgoing, type Transport } from './calls.ts';
import { type FileTransfers, fileTransfers } from './files.ts';
import { follow } from './follow.ts';
import { mergePatch } from './merge.ts';
import { type Operations, operations } from './operations.gen.ts';
import type {
  ConditionalOptions,
  FollowOptions,
  Listing,
  ListOptions,
  Page,
  PatchOptions,
  PostOptions,
} from './options.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts';

export interface ClientOptions {
  /** The address of Cardinal, with or without `/api/kanban/v1`. */
  baseUrl: string;
  /** The bearer token, or a function that fetches it, called before every sending so that the token may be renewed. */
  token: string | (() => string | Promise<string>);
  /** In place of the global one. */
  fetch?: typeof fetch | undefined;
  /** Sent with every request to the API. */
  headers?: Record<string, string> | undefined;
  retry?: Partial<RetryPolicy> | undefined;
  /** Of one sending, milliseconds; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** Called after every sending, repeated ones too: for logs and metrics. */
  onAttempt?: ((attempt: Attempt) => void) | undefined;
}

/** Every operation of the API, and helpers that call several of them. */
export type CardinalClient = Operations & { files: FileTransfers };

interface Operation {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** Its last id comes with a version, for `If-Match`. */
  isVersioned?: true;
  hasKey?: true;
  hasBody?: true;
  hasQuery?: true;
  result: 'data' | 'nothing' | 'list' | 'content' | 'stream';
}

/** The release that this is of. */
export const clientVersion = '1.2.0-dev';

const apiPath = '/api/kanban/v1';

const apiUrl = (url: string) => {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  return origin + (path.endsWith(apiPath) ? path : path + apiPath);
};

// `.`, `..` and nothing would vanish from the URL, and a write would go to another address.
const segment = (id: unknown) => {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`an id must not be ${JSON.stringify(id)}`);
  return encodeURIComponent(id);
};

// Pages without TLS have no crypto.randomUUID.
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (n) => n.toString(16).padStart(2, '0')).join('');

type Value = string | number | boolean | undefined;
type Query = Record<string, Value | readonly Value[]>;

const addressOf = (url: string, query: Query) => {
  const address = new URL(url);
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) address.searchParams.append(name, String(one));
  }
  return address.href;
};

// A success without `data` comes from something that is not Cardinal: a proxy, a login page, another API.
export const readJson = async (response: Response) => {
  if (response.status === 304) return { answer: undefined };
  const body = await jsonOf(response);
  const hasData = typeof body === 'object' && body !== null && 'data' in body;
  return response.ok && (response.status === 204 || hasData) ? { answer: body } : { body };
};

// The API redirects to the bytes; fetch takes the token off when it follows to another origin.
const readContent = async (response: Response) =>
  response.ok && response.redirected && response.body !== null
    ? { answer: response as unknown }
    : { body: await jsonOf(response) };

// Browsers name themselves; a header of ours would cost each request a preflight.
const isNode = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined;
const userAgent: Record<string, string> = isNode ? { 'user-agent': `cardinal-client/${clientVersion}` } : {};

/** The ids of a path in the order of the arguments, the last one with its version where the operation needs it. */
const takeIds = ({ path, isVersioned }: Operation, args: unknown[]) => {
  let version: number | undefined;
  const names = path.match(/\{\w+\}/g) ?? [];
  const filled = names.reduce((text, name, n) => {
    let id = args.shift();
    if (isVersioned && n === names.length - 1) ({ id, version } = id as { id: string; version: number });
    return text.replace(name, () => segment(id));
  }, path);
  return { path: filled, version };
};

export const headersOf = async ({ token, headers }: Transport, own: Record<string, string> | undefined) => ({
  accept: 'application/json',
  ...userAgent,
  ...headers,
  ...own,
  authorization: `Bearer ${typeof token === 'string' ? token : await token()}`,
});

/** What all calls with these options share. @throws TypeError where `baseUrl` is no URL */
export const transportOf = (options: ClientOptions): Transport => ({
  baseUrl: apiUrl(options.baseUrl),
  token: options.token,
  // In browsers fetch must not be called as a method of another object.
  fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  headers: options.headers ?? {},
  retry: { ...defaultRetryPolicy, ...options.retry },
  timeoutMs: options.timeoutMs ?? 30_000,
  onAttempt: options.onAttempt,
});

type StreamOptions = FollowOptions & { after?: number | 'head' | undefined } & Record<string, unknown>;

/** Follows a stream: its options are its query too. */
const streamOf = (
  transport: Transport,
  { id, method, path }: Operation,
  { signal, headers, after, ...query }: StreamOptions = {},
) => {
  const opening = {
    operation: id,
    method,
    url: addressOf(transport.baseUrl + path, query as Query),
    headers: () => headersOf(transport, headers),
  };
  return follow(transport, opening, { after: after === 'head' ? undefined : after, signal });
};

/** The listing of what `read` reads page by page (CONTRACT 1.3). */
const listingOf = <Item>(
  read: (place: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>,
  pageSize = 100,
): Listing<Item> => {
  async function* items(most = Number.POSITIVE_INFINITY) {
    let cursor: string | undefined;
    let left = most;
    while (left > 0) {
      const { data, page } = await read({ limit: Math.min(pageSize, left), cursor });
      for (const item of data.slice(0, left)) yield item;
      left -= data.length;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }

  return {
    page: (cursor) => read({ limit: pageSize, cursor }),
    all: async ({ limit } = {}) => {
      const collected: Item[] = [];
      for await (const item of items(limit)) collected.push(item);
      return collected;
    },
    [Symbol.asyncIterator]: () => items(),
  };
};

const methodOf =
  (transport: Transport, operation: Operation) =>
  (...given: unknown[]): unknown => {
    if (operation.result === 'stream') return streamOf(transport, operation, given[0] as StreamOptions);
    const args = [...given];
    const { path, version: read } = takeIds(operation, args);
    const body = operation.hasBody ? args.shift() : undefined;
    const query = (operation.hasQuery ? args.shift() : undefined) as Query | undefined;
    const options = (args.shift() ?? {}) as PostOptions & PatchOptions & ListOptions & Partial<ConditionalOptions>;
    const key = operation.hasKey ? (options.idempotencyKey ?? newKey()) : undefined;

    const ask = (more: Query = {}, version = read) => {
      const outgoing: Outgoing<unknown> = {
        operation: operation.id,
        method: operation.method,
        url: addressOf(transport.baseUrl + path, { ...query, ...more }),
        headers: async () => ({
          ...(await headersOf(transport, options.headers)),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
          ...(version === undefined ? {} : { 'if-match': `"${version}"` }),
          ...(options.ifNoneMatch ? { 'if-none-match': `"${options.ifNoneMatch.version}"` } : {}),
        }),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // Reads and desired-state writes repeat by nature; a versioned write without a key does not.
        isRepeatable: key !== undefined || version === undefined,
        retry: transport.retry,
        timeoutMs: options.timeoutMs ?? transport.timeoutMs,
        read: operation.result === 'content' ? readContent : readJson,
      };
      return exchange(transport, outgoing, options);
    };

    const write = () =>
      options.merge && body && read !== undefined ? mergePatch(body, read, (version) => ask({}, version)) : ask();

    switch (operation.result) {
      case 'list':
        return listingOf((place) => ask({ ...place }) as Promise<Page<unknown>>, options.pageSize);
      case 'content':
        return ask();
      case 'nothing':
        return ask().then(() => undefined);
      case 'data':
        return write().then((answer) => (answer as { data: unknown } | undefined)?.data ?? null);
    }
  };

/**
 * Makes a client of the public API. Every call throws CardinalError, or the reason of its signal; TypeError for requests that
 * cannot be sent, such as an invalid id, or a header with a line break. Requests that are safe to repeat are sent again within
 * the bounds of `retry`, after the time that `Retry-After` names.
 * @throws TypeError where `baseUrl` is no URL
 */
export const createClient = (options: ClientOptions): CardinalClient => {
  const transport = transportOf(options);
  const groups = Object.entries(operations).map(([group, methods]) => {
    const made = Object.entries(methods).map(([name, operation]) => [name, methodOf(transport, operation)]);
    return [group, Object.fromEntries(made)];
  });
  const client = Object.fromEntries(groups) as Operations;
  return { ...client, files: { ...client.files, ...fileTransfers(client.files, transport) } };
};
