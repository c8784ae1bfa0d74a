import { Agent, request } from 'node:http';
import type { Operation } from '@cardinal/contracts';
import type { Exchange } from './history.ts';
import { see } from './seen.ts';
import type { System } from './system.ts';

/** A request before it is sent. */
export interface PlannedRequest {
  operation: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  key?: string;
  ifMatch?: number;
  body?: unknown;
}

/**
 * Makes a request of an operation.
 * @param ids the parameters of its path, in that order
 * @param query the query of its URL
 */
export const requestFor = (
  { http: { id, method, path } }: Operation,
  ids: readonly string[] = [],
  { query, ...more }: Pick<PlannedRequest, 'ifMatch' | 'body'> & { query?: string } = {},
): PlannedRequest => {
  const left = ids.values();
  const filled = path.replaceAll(/:\w+/g, () => left.next().value ?? '');
  return { operation: id, method, path: query ? `${filled}?${query}` : filled, ...more };
};

/** The sender's workspace and token, and its number. */
export interface Sender {
  client: number;
  workspace: string;
  token: string;
  /** The id of the API key that is in the place of a token. */
  apiKey?: string;
}

/** Longer than any gateway may take, ms: after that the answer counts as lost. */
const patienceMs = 20_000;

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

type Answer = NonNullable<Exchange['answer']>;

const headersOf = ({ token }: Sender, { key, ifMatch, body }: PlannedRequest, text: string | undefined) => ({
  authorization: `Bearer ${token}`,
  ...(key !== undefined && { 'idempotency-key': key }),
  ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
  ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text ?? '') }),
});

/**
 * Sends a request once, over connections that stay open. Unlike `fetch`, it never repeats a request by itself: each
 * exchange of a history is one request.
 */
const exchange = (url: string, sender: Sender, planned: PlannedRequest): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const text = planned.body === undefined ? undefined : JSON.stringify(planned.body);
    const headers = headersOf(sender, planned, text);
    const sent = request(url, { method: planned.method, agent, headers, signal: AbortSignal.timeout(patienceMs) });
    sent.on('error', (error) =>
      reject(sent.reusedSocket ? new Error(`${error.message}, on a connection that was kept`) : error),
    );
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('aborted', () => reject(new Error('the answer broke off')));
      response.on('end', () => {
        const { etag, location, 'x-request-id': requestId, 'retry-after': retryAfter } = response.headers;
        const body = see(Buffer.concat(chunks).toString());
        if (retryAfter !== undefined) body.retryAfter = Number(retryAfter);
        resolve({
          status: response.statusCode ?? 0,
          ...(etag !== undefined && { etag: Number(etag.replaceAll('"', '')) }),
          ...(location !== undefined && { location }),
          replayed: response.headers['idempotent-replayed'] === 'true',
          ...(typeof requestId === 'string' && { requestId }),
          body,
        });
      });
    });
    sent.end(text);
  });

/**
 * Sends a request once to a gateway and records the outcome.
 * @returns the exchange; without an answer if it was lost
 */
export const send = async (
  gateway: System['gateways'][number],
  sender: Sender,
  planned: PlannedRequest,
  record: (exchange: Omit<Exchange, 'id'>) => void,
): Promise<Omit<Exchange, 'id'>> => {
  const { client, workspace, apiKey } = sender;
  const start = performance.now();
  const outcome = await exchange(`${gateway.baseUrl}${planned.path}`, sender, planned).then(
    (answer) => ({ answer }),
    (error: Error) => ({ lost: error.message }),
  );
  const from = { client, workspace, ...(apiKey !== undefined && { apiKey }), gateway: gateway.name };
  const done = { ...from, ...planned, start, end: performance.now(), ...outcome };
  record(done);
  return done;
};
