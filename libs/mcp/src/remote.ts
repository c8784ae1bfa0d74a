import { apiPrefix } from '@cardinal/contracts';
import type { Api } from './api.ts';
import { Refusal } from './refusals.ts';

/** How long a request may take, ms; the service's own limit is shorter. */
const timeoutMs = 30_000;

interface Remote {
  /** Of the service, with or without the API's prefix. */
  baseUrl: string;
  /** Asked before every request: it may have been renewed. */
  token: () => string | Promise<string>;
  /** What the program calls itself, `cardinal/1.0.0`. */
  userAgent: string;
}

const parsed = (text: string): unknown => {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Asks a service over the network. Nothing is sent twice by itself: whoever calls the tools is told what may be. */
export const remoteApi = ({ baseUrl, token, userAgent }: Remote): Api => {
  const origin = baseUrl.replace(/\/+$/, '');
  const prefix = origin.endsWith(apiPrefix) ? origin : `${origin}${apiPrefix}`;
  return async ({ method, path, headers, body }) => {
    try {
      const answer = await fetch(prefix + path, {
        method,
        headers: {
          ...{ accept: 'application/json', 'user-agent': userAgent, authorization: `Bearer ${await token()}` },
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        // The address of bytes is an answer.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const { status, headers: answered } = answer;
      return { status, headers: Object.fromEntries(answered), body: parsed(await answer.text()) };
    } catch (cause) {
      if (cause instanceof Refusal) throw cause;
      throw new Refusal('connection_failed', `No answer from ${new URL(prefix).origin}`, { cause });
    }
  };
};
