import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureKeys } from '@cardinal/servers';

const scope = 'kanban:read kanban:write kanban:admin';

interface Identity {
  workspace: string;
  user: string;
}

/** A user of a workspace of a stack. */
export interface User extends Identity {
  /** The status, the `data` and the version of an answer; a broken connection throws. */
  send(method: string, path: string, body?: object, version?: string): Promise<Reply>;
  /** The text of a file, as its URL leads to it. */
  download(file: string): Promise<string>;
}

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a client from outside reads whatever the wire brings
  data: any;
  version: string;
  /** The message of a refusal. */
  problem?: string | undefined;
}

/** A user who may be known already, such as from a backup; tokens are signed with the keys of the folder. */
export const asUser = async (origin: string, keys: string, { workspace, user }: Identity): Promise<User> => {
  const { sign } = await ensureKeys(keys);
  const token = await sign({ workspace, user, scope, expiresIn: 7_200 });
  const url = (path: string) => `${origin}/api/kanban/v1${path}`;
  const authorization = `Bearer ${token}`;
  const send: User['send'] = async (method, path, body, version) => {
    const response = await fetch(url(path), {
      method,
      headers: {
        authorization,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(method === 'POST' ? { 'idempotency-key': randomUUID() } : {}),
        ...(version ? { 'if-match': version } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const { data, error } = (await response.json().catch(() => ({}))) as {
      data?: unknown;
      error?: { message: string };
    };
    return { status: response.status, data, version: response.headers.get('etag') ?? '', problem: error?.message };
  };
  const download: User['download'] = async (file) =>
    (await fetch(url(`/files/${file}/content`), { headers: { authorization } })).text();
  return { workspace, user, send, download };
};

/** A user of a new workspace, with a board and a column for cards in it. */
export const newUser = async (origin: string, keys: string): Promise<User & { column: string }> => {
  const user = await asUser(origin, keys, { workspace: randomUUID(), user: randomUUID() });
  const board = await user.send('POST', '/boards', { name: 'Deployment' });
  const column = await user.send('POST', `/boards/${board.data.id}/columns`, { name: 'To do' });
  return { ...user, column: column.data.id };
};

/** Uploads a text and waits until it is checked, for a minute; returns the id of its file. */
export const upload = async ({ send }: User, name: string, text: string): Promise<string> => {
  const { data: file } = await send('POST', '/files', { name });
  const { url, method, headers } = file.upload;
  await fetch(url, { method, headers, body: text });
  for (let tries = 0; tries < 120; tries += 1) {
    if ((await send('GET', `/files/${file.id}`)).data.status === 'clean') return file.id;
    await pause(500);
  }
  throw new Error(`${name} is not checked after a minute`);
};

/**
 * Writes and reads cards until it is stopped, with so many users at once. No request is sent again.
 * @returns ends the load; answers how many requests there were, and how many failed in which way
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
      problem: error.message,
    }));
    if (typeof reply.status === 'number' && reply.status < 300) return reply.data;
    const failure = `${request[0]}: ${reply.status} ${reply.problem}`;
    failures[failure] = (failures[failure] ?? 0) + 1;
    // What cannot be reached is not hammered.
    await pause(20);
    return undefined;
  };
  const work = async (user: User & { column: string }) => {
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
