import { randomUUID } from 'node:crypto';
import { ensureKeys } from '@cardinal/servers';

const scope = 'kanban:read kanban:write kanban:admin';

/** A user of a workspace of a stack. */
export interface User {
  /** The status, the `data` and the version of an answer; a broken connection throws. */
  send(method: string, path: string, body?: object, version?: string): Promise<Reply>;
  /** A column for cards. */
  column: string;
}

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a client from outside reads whatever the wire brings
  data: any;
  version: string;
}

/** A user of a new workspace, with a board and a column in it. */
export const newUser = async (origin: string, keys: string): Promise<User> => {
  const { sign } = await ensureKeys(keys);
  const token = await sign({ workspace: randomUUID(), user: randomUUID(), scope, expiresIn: 7_200 });
  const send: User['send'] = async (method, path, body, version) => {
    const response = await fetch(`${origin}/api/kanban/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(method === 'POST' ? { 'idempotency-key': randomUUID() } : {}),
        ...(version ? { 'if-match': version } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json().catch(() => ({}))) as { data?: unknown };
    return { status: response.status, data: answer.data, version: response.headers.get('etag') ?? '' };
  };
  const board = await send('POST', '/boards', { name: 'Deployment' });
  const column = await send('POST', `/boards/${board.data.id}/columns`, { name: 'To do' });
  return { send, column: column.data.id };
};

/**
 * Writes and reads cards until it is stopped, with so many users at once. No request is sent again.
 * @returns ends the load; tells how many requests there were, and how many failed in which way
 */
export const startLoad = async (origin: string, keys: string, users: number) => {
  let over = false;
  let requests = 0;
  const failures: Record<string, number> = {};
  const ask = async (user: User, ...request: Parameters<User['send']>) => {
    requests += 1;
    const reply = await user.send(...request).catch((error: Error) => ({
      status: (error.cause as { code?: string } | undefined)?.code ?? error.message,
      data: undefined,
    }));
    if (typeof reply.status === 'number' && reply.status < 300) return reply.data;
    failures[reply.status] = (failures[reply.status] ?? 0) + 1;
    // What cannot be reached is not hammered.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return undefined;
  };
  const work = async (user: User) => {
    for (let count = 1; !over; count += 1) {
      const card = await ask(user, 'POST', `/columns/${user.column}/cards`, { title: `Card ${count}` });
      if (card) await ask(user, 'GET', `/cards/by-identifier/${card.identifier}`);
    }
  };
  const all = await Promise.all(Array.from({ length: users }, () => newUser(origin, keys)));
  // The first card of a workspace asks for its numbers, maybe of processes that have only just started: it is no part of it.
  for (const { send, column } of all) await send('POST', `/columns/${column}/cards`, { title: 'First' });
  const working = all.map(work);
  return async () => {
    over = true;
    await Promise.all(working);
    return { requests, failures };
  };
};
