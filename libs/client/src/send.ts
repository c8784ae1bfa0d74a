import { exchange } from './calls.ts';
import { type ClientOptions, headersOf, readJson, transportOf } from './client.ts';

/** A request as the document has it, for programs that make requests out of data. */
export interface RawRequest {
  /** As the document names it; for `onAttempt`. */
  operation: string;
  method: string;
  /** Below `/api/kanban/v1`, with its query. */
  path: string;
  /** Among them `Idempotency-Key` and `If-Match`, where it takes them; names in lower case. */
  headers?: Record<string, string> | undefined;
  /** Sent as JSON. */
  body?: unknown;
}

/** A successful answer. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  /** Parsed; undefined where there is none. */
  body: unknown;
}

// The answer of a download is the address of the bytes.
const readAnswer = async (response: Response): Promise<{ answer: RawAnswer } | { body: unknown }> => {
  const { status, headers } = response;
  if (response.ok && response.redirected) {
    await response.body?.cancel();
    return { answer: { status: 302, headers: new Headers({ location: response.url }), body: undefined } };
  }
  const read = await readJson(response);
  return 'answer' in read ? { answer: { status, headers, body: read.answer } } : read;
};

/**
 * Sends requests that are no method of the client, with the same retries. Its calls throw CardinalError.
 * @throws TypeError where `baseUrl` is no URL
 */
export const createSender = (options: ClientOptions): ((request: RawRequest) => Promise<RawAnswer>) => {
  const transport = transportOf(options);
  return ({ operation, method, path, headers = {}, body }) =>
    exchange(
      transport,
      {
        operation,
        method,
        url: transport.baseUrl + path,
        retry: transport.retry,
        timeoutMs: transport.timeoutMs,
        headers: async () => ({
          ...(await headersOf(transport, headers)),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        }),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        isRepeatable: 'idempotency-key' in headers || !('if-match' in headers),
        read: readAnswer,
      },
      {},
    );
};
