import { type CallOptions, currentToken, replyOf, type TransportOptions } from '../transport.ts';
import { jsonOf, lostTo, type Sending, untilAnswered } from '../until-answered.ts';

/** The answer to a download; its body is a stream that is still to be read. */
export type Download = Response & { body: NonNullable<Response['body']> };

// An answer without a redirect comes from something that is not Cardinal: a proxy, a login page.
const isDownload = (response: Response): response is Download =>
  response.ok && response.redirected && response.body !== null;

/**
 * Reads where the API redirects to, and leaves the body to the caller: the time limit ends when the answer begins, the
 * signal holds until the body is read. fetch takes the token off when it follows to another origin.
 * @param path below `/api/kanban/v1`
 * @throws ApiError, ConnectionError, the signal's reason
 */
export const download = async (
  path: string,
  options: TransportOptions,
  { signal, onReply }: CallOptions = {},
): Promise<Download> => {
  const url = options.baseUrl + path;
  const attempt = async (): Promise<Sending<Download>> => {
    const authorization = `Bearer ${await currentToken(options)}`;
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new DOMException('no answer in time', 'TimeoutError')),
      options.timeoutMs,
    );
    try {
      const response = await options.fetch(url, {
        headers: { authorization },
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      });
      return isDownload(response) ? { answer: response } : { response, body: await jsonOf(response) };
    } catch (error) {
      return lostTo(error, signal);
    } finally {
      clearTimeout(timer);
    }
  };
  const response = await untilAnswered(attempt, { url, repeatable: true, retry: options.retry, signal });
  onReply?.(replyOf(response));
  return response;
};
