import type { ErrorBody } from '@cardinal/contracts';
import { request } from 'undici';
import { v7 } from 'uuid';

/** A resource whose type the test does not name. */
export type AnyResource = Record<string, unknown> & { id: string; version: number };

/** An answer of the API. Which parts of the body are there depends on the status, which a test checks first. */
export interface Answer<Data> {
  status: number;
  headers: Headers;
  /** `ETag`, ready to be sent as `If-Match`; empty where there is none. */
  etag: string;
  body: {
    data: Data;
    page: { next_cursor: string | null; has_more: boolean };
    error: ErrorBody['error'];
  };
  text: string;
}

/** What goes with a request. */
export interface Call {
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  ifMatch?: string;
  /** `Idempotency-Key`; a new one for every POST where left out, none where null. */
  key?: string | null;
  headers?: Record<string, string>;
}

const parse = (text: string): never => {
  try {
    return JSON.parse(text) as never;
  } catch {
    return undefined as never;
  }
};

const headersOf = (method: string, token: string | undefined, call: Call): Record<string, string> => {
  const key = call.key === undefined && method === 'POST' ? v7() : call.key;
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(call.ifMatch === undefined ? {} : { 'if-match': call.ifMatch }),
    ...(key == null ? {} : { 'idempotency-key': key }),
    ...Object.fromEntries(Object.entries(call.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
  };
};

interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

/** Sends a request, with a third of what `fetch` takes of the processor; redirects are not followed. */
export const exchange = async (url: string, { method, headers, body }: Sent) => {
  const answer = await request(url, { method: method as 'GET', headers, body: body ?? null });
  const fields = Object.entries(answer.headers).flatMap(([name, values = []]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return { status: answer.statusCode, headers: new Headers(fields), text: await answer.body.text() };
};

const send = async <Data>(url: string, method: string, token: string | undefined, call: Call) => {
  const body = call.body === undefined || typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
  const { status, headers, text } = await exchange(url, { method, headers: headersOf(method, token, call), body });
  return { status, headers, etag: headers.get('etag') ?? '', body: parse(text), text } as Answer<Data>;
};

/**
 * A client for tests: returns every answer as it is, errors included.
 * @param baseUrl what `path` is appended to
 * @param token no `Authorization` header where left out
 */
export const api = (baseUrl: string, token?: string) => {
  const method =
    (name: string) =>
    <Data = AnyResource>(path: string, call: Call = {}): Promise<Answer<Data>> =>
      send<Data>(`${baseUrl}${path}`, name, token, call);
  return {
    get: method('GET'),
    post: method('POST'),
    put: method('PUT'),
    patch: method('PATCH'),
    delete: method('DELETE'),
    /** Any other method. */
    request: <Data = AnyResource>(name: string, path: string, call: Call = {}) =>
      send<Data>(`${baseUrl}${path}`, name, token, call),
  };
};
export type Api = ReturnType<typeof api>;

/** An answer without what signs the URLs in it: that changes every minute, also between two answers of one test. */
export const unsigned = <Answered>(answer: Answered): Answered =>
  JSON.parse(JSON.stringify(answer).replaceAll(/\?expires=\d+&signature=[\w-]+/g, ''));
