import type { Upload } from '@cardinal/contracts';
import { ApiError } from '../api-error.ts';
import type { CallOptions, TransportOptions } from '../transport.ts';
import { jsonOf, lostTo, type Sending, untilAnswered } from '../until-answered.ts';
import type { Source } from './file-bytes.ts';

/**
 * Sends a file's bytes to where the API said, with nothing but the headers that it named: the URL is its own
 * permission, and the token must not leave the API. A stream is never held in memory whole, nor sent a second time.
 * There is no time limit but the service's own and the signal.
 * @throws ApiError (`payload_too_large`, `insufficient_scope` for a URL that expired; `unexpected_response` where it is
 *   not Cardinal that takes the bytes, but a bucket), ConnectionError, what a stream failed with, the signal's reason
 */
export const sendBytes = async (
  { method, url, headers }: Upload,
  source: Source,
  { fetch, retry }: Pick<TransportOptions, 'fetch' | 'retry'>,
  { signal, size }: Pick<CallOptions, 'signal'> & { size?: number } = {},
): Promise<void> => {
  const attempt = async (): Promise<Sending<undefined>> => {
    try {
      const response = await fetch(url, {
        method,
        headers: size === undefined ? headers : { ...headers, 'content-length': String(size) },
        body: source.body,
        duplex: 'half',
        ...(signal ? { signal } : {}),
      });
      const body = await jsonOf(response);
      return response.ok ? { answer: undefined } : { response, body };
    } catch (error) {
      const lost = lostTo(error, signal);
      source.throwIfFailed();
      return lost;
    }
  };
  const bounds = {
    url,
    repeatable: source.isRepeatable,
    retry: source.isRepeatable ? retry : { ...retry, attempts: 1 },
    signal,
  };
  try {
    await untilAnswered(attempt, bounds);
  } catch (error) {
    // The file has bytes or was given up, perhaps by a sending whose answer was lost: its state tells which.
    if (!(error instanceof ApiError && error.code === 'conflict')) throw error;
  }
};
