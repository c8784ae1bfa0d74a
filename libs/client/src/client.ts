import { boards } from './resources/boards.ts';
import { cards } from './resources/cards.ts';
import { columns } from './resources/columns.ts';
import { comments } from './resources/comments.ts';
import { dependencies } from './resources/dependencies.ts';
import { files } from './resources/files.ts';
import { labels } from './resources/labels.ts';
import { subtasks } from './resources/subtasks.ts';
import { workstreams } from './resources/workstreams.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts';
import { createTransport, type TransportOptions } from './transport.ts';

export interface ClientOptions {
  /** Where Cardinal listens, with or without `/api/kanban/v1`. */
  baseUrl: string;
  /** The bearer token, or what fetches it: asked before every sending, so that a token may be renewed. */
  token: string | (() => string | Promise<string>);
  /** In place of the global one. */
  fetch?: typeof fetch;
  retry?: Partial<RetryPolicy>;
  /** Of one sending, milliseconds; 30,000 by default. */
  timeoutMs?: number;
}

const apiPath = '/api/kanban/v1';

const apiUrl = (url: string) => {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  return origin + (path.endsWith(apiPath) ? path : path + apiPath);
};

/**
 * Makes a client of the public API.
 * Reads, POSTs (each under one idempotency key) and desired-state writes are sent again when no answer comes; 429 and 503 are waited out,
 * as long as `Retry-After` says. All of it within the bounds of `retry`.
 * @throws TypeError where `baseUrl` is no URL
 */
export const createClient = ({ baseUrl, token, retry, timeoutMs = 30_000, ...options }: ClientOptions) => {
  const transport: TransportOptions = {
    baseUrl: apiUrl(baseUrl),
    token,
    fetch: options.fetch ?? globalThis.fetch,
    retry: { ...defaultRetryPolicy, ...retry },
    timeoutMs,
  };
  const send = createTransport(transport);
  return {
    boards: boards(send),
    columns: columns(send),
    cards: cards(send),
    labels: labels(send),
    comments: comments(send),
    subtasks: subtasks(send),
    dependencies: dependencies(send),
    files: files(send, transport),
    workstreams: workstreams(send),
  };
};

export type CardinalClient = ReturnType<typeof createClient>;
