import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureKeys } from '@cardinal/servers';
import { type Api, api } from '@cardinal/testkit/api';

const scope = 'kanban:read kanban:write kanban:admin';

interface Identity {
  workspace: string;
  user: string;
}

/** A user of a workspace of a stack. */
export type User = Identity & Api;

/** A user, new or known, such as from a backup; the keys of the folder sign its tokens. */
export const asUser = async (origin: string, keys: string, { workspace, user }: Identity): Promise<User> => {
  const { sign } = await ensureKeys(keys);
  const token = await sign({ workspace, user, scope, expiresIn: 7_200 });
  return { workspace, user, ...api(`${origin}/api/kanban/v1`, token) };
};

/** Makes something. @returns what its answer shows of it */
export const make = async <Made extends { id: string }>({ post }: User, path: string, body: object): Promise<Made> =>
  (await post<Made>(path, { body })).body.data;

/** A user of a new workspace, with a board and a column for cards in it. */
export const newUser = async (origin: string, keys: string): Promise<User & { column: string }> => {
  const user = await asUser(origin, keys, { workspace: randomUUID(), user: randomUUID() });
  const board = await make(user, '/boards', { name: 'Deployment' });
  const column = await make(user, `/boards/${board.id}/columns`, { name: 'To do' });
  return { ...user, column: column.id };
};

interface Uploading {
  id: string;
  upload: { url: string; method: string; headers: Record<string, string> };
}

/** Uploads a text and waits until it is checked, for a minute; returns the id of its file. */
export const upload = async (user: User, name: string, text: string): Promise<string> => {
  const { id, upload } = await make<Uploading>(user, '/files', { name });
  await fetch(upload.url, { method: upload.method, headers: upload.headers, body: text });
  for (let tries = 0; tries < 120; tries += 1) {
    if ((await user.get<{ status: string }>(`/files/${id}`)).body.data.status === 'clean') return id;
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
  const ask = async (user: User, method: 'GET' | 'POST', path: string, body?: object) => {
    requests += 1;
    const reply = await user
      .request<{ identifier: string }>(method, path, body && { body })
      .catch((error: Error) => ({ status: (error.cause as { code?: string } | undefined)?.code, body: { error } }));
    const { status, body: said } = reply;
    if (typeof status === 'number' && status < 300 && said && 'data' in said) return said.data;
    const failure = `${method}: ${status} ${said?.error?.message}`;
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
  for (const user of all) await make(user, `/columns/${user.column}/cards`, { title: 'First' });
  const working = all.map(work);
  return async () => {
    over = true;
    await Promise.all(working);
    return { requests, failures };
  };
};
