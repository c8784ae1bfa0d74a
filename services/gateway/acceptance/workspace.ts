import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { exchange } from '@cardinal/testkit';
import { expect } from 'vitest';

/** Where a stack listens and how it signs tokens. */
export interface Stack {
  baseUrl: string;
  token(said: { workspace: string; user: string; scope?: string; claims?: Body }): Promise<string>;
}

// biome-ignore lint/suspicious/noExplicitAny: a black-box test reads whatever the wire brings
export type Body = any;

export interface Answer {
  status: number;
  headers: Headers;
  body: Body;
  /** The body as it was sent. */
  text: string;
}

export interface SendOptions {
  body?: unknown;
  /** Sent as it is instead of `body`. */
  raw?: string | Uint8Array;
  key?: string | null;
  ifMatch?: string | number | null;
  headers?: Record<string, string>;
}

/** One user of a stack, in one workspace; POSTs carry a fresh idempotency key where none is given. */
export class Client {
  readonly stack: Stack;
  readonly workspaceId: string;
  readonly userId: string;
  readonly token: string;

  constructor(stack: Stack, workspaceId: string, userId: string, token: string) {
    this.stack = stack;
    this.workspaceId = workspaceId;
    this.userId = userId;
    this.token = token;
  }

  async send(method: string, path: string, options: SendOptions = {}): Promise<Answer> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.token}` };
    const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (method === 'POST' && options.key !== null) headers['idempotency-key'] = options.key ?? randomUUID();
    if (options.ifMatch !== undefined && options.ifMatch !== null) {
      headers['if-match'] = typeof options.ifMatch === 'number' ? `"${options.ifMatch}"` : options.ifMatch;
    }
    Object.assign(headers, options.headers);
    const answer = await exchange(`${this.stack.baseUrl}${path}`, { method, headers, body });
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
    return { ...answer, body: isJson && answer.text ? JSON.parse(answer.text) : answer.text };
  }

  get = (path: string, options?: SendOptions) => this.send('GET', path, options);
  post = (path: string, options?: SendOptions) => this.send('POST', path, options);
  put = (path: string, options?: SendOptions) => this.send('PUT', path, options);
  patch = (path: string, options?: SendOptions) => this.send('PATCH', path, options);
  delete = (path: string, options?: SendOptions) => this.send('DELETE', path, options);

  /** Sends a request that the test takes for granted and returns its `data`. */
  async data(answer: Promise<Answer>): Promise<Body> {
    const { status, body } = await answer;
    if (status >= 300) throw new Error(`expected success, got ${status} ${JSON.stringify(body)}`);
    return body.data;
  }

  createCard = (columnId: string, title: string, more: Record<string, unknown> = {}) =>
    this.data(this.post(`/columns/${columnId}/cards`, { body: { title, ...more } }));
  createWorkstream = (prefix: string) => this.data(this.post('/workstreams', { body: { name: prefix, prefix } }));
  card = (cardId: string) => this.data(this.get(`/cards/${cardId}`));
  transfer = (card: Body, workstreamId: string, options: SendOptions = {}) =>
    this.post(`/cards/${card.id}/workstream`, {
      body: { workstream_id: workstreamId },
      ifMatch: card.version,
      ...options,
    });

  /** Every item of a list, page by page. */
  async all(path: string): Promise<Body[]> {
    const items: Body[] = [];
    let cursor: string | null = null;
    do {
      const next: Answer = await this.get(
        `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
      );
      if (next.status !== 200) throw new Error(`list ${path}: ${next.status} ${JSON.stringify(next.body)}`);
      items.push(...next.body.data);
      cursor = next.body.page.next_cursor;
    } while (cursor);
    return items;
  }
}

const everything = 'kanban:read kanban:write kanban:admin';

/** A user of a workspace: by default of a new one without other users. */
export async function clientOf(
  stack: Stack,
  {
    workspace = randomUUID(),
    user = randomUUID(),
    scope = everything,
    claims = {},
  }: { workspace?: string; user?: string; scope?: string; claims?: Body } = {},
): Promise<Client> {
  return new Client(stack, workspace, user, await stack.token({ workspace, user, scope, claims }));
}

/** A new workspace with a board and a column in it. */
export async function workspaceWithBoard(stack: Stack) {
  const client = await clientOf(stack);
  const board = await client.data(client.post('/boards', { body: { name: 'Payments' } }));
  const column = await client.data(client.post(`/boards/${board.id}/columns`, { body: { name: 'To do' } }));
  return { client, board, column };
}

/** Holds an answer to a refusal in the shape of the catalogue that reveals nothing internal. */
export const expectRefusal = (answer: Answer, status: number, code: string): void => {
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status, code });
  expect(answer.body.error.message).toEqual(expect.any(String));
  expect(answer.body.error.request_id).toBe(answer.headers.get('x-request-id'));
  expect(answer.text).not.toMatch(/\bat .*:\d+|node_modules|\.ts:|select |insert /i);
};

/** Runs `count` requests at once. */
export const together = <Result>(count: number, run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

/**
 * What a client does after a lost answer or a 503: the same request again, until it is answered for good.
 * Throws after three minutes: on a busy machine everything takes one to start again.
 */
export async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
  const deadline = Date.now() + 180_000;
  for (;;) {
    const answer = await send().catch(() => undefined);
    if (answer && answer.status !== 503) return answer;
    if (Date.now() > deadline) throw new Error(`no answer within three minutes: ${JSON.stringify(answer?.body)}`);
    await setTimeout(50);
  }
}
