import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '@cardinal/servers';

/** The workspace and user of the demonstration, and of tokens that name no others. */
export const demoWorkspace = '0199d000-0000-7000-8000-000000000001';
export const demoUser = '0199d000-0000-7000-8000-000000000002';
/** What the user may do who fills it. */
export const demoScope = 'kanban:read kanban:write kanban:admin';
/** A superseded identifier of the demo, which still finds its card. */
export const demoIdentifier = 'WEB-3';

interface Answer {
  data: { id: string };
}

class Refused extends Error {
  readonly status: number;
  constructor(path: string, status: number, body: string) {
    super(`the demo workspace could not be filled: POST ${path} answered ${status} ${body}`);
    this.status = status;
  }
}

const keyOf = (path: string, body: object) =>
  `demo-${createHash('sha256').update(path).update(JSON.stringify(body)).digest('hex')}`;

/** Creates over the public API; the key makes a repetition after a killed start harmless. */
const creator = (baseUrl: string, token: string) => async (path: string, body: object, ifMatch?: string) => {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': keyOf(path, body),
      ...(ifMatch ? { 'if-match': ifMatch } : {}),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Refused(path, response.status, await response.text());
  return { id: ((await response.json()) as Answer).data.id, etag: response.headers.get('etag') ?? '' };
};

const fill = async (baseUrl: string, token: string) => {
  const create = creator(baseUrl, token);
  const web = await create('/workstreams', { name: 'Website', prefix: 'WEB' });
  const app = await create('/workstreams', { name: 'Mobile app', prefix: 'APP' });
  const board = await create('/boards', { name: 'Launch' });
  const column = (name: string) => create(`/boards/${board.id}/columns`, { name });
  const [todo, doing, done] = [await column('To do'), await column('Doing'), await column('Done')];
  const card = (at: { id: string }, title: string, workstream?: { id: string }) =>
    create(`/columns/${at.id}/cards`, { title, ...(workstream ? { workstream_id: workstream.id } : {}) });
  await card(done, 'Choose a name', web);
  await card(doing, 'Draw the front page', web);
  const moving = await card(todo, 'Push notifications', web);
  await card(todo, 'Sign in with a passkey', app);
  await card(todo, 'Order the cake');
  await create(`/cards/${moving.id}/workstream`, { workstream_id: app.id }, moving.etag);
};

const known = (file: string): string[] =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [];

/**
 * Fills the demo workspace through the public API, once per database: what the user deletes stays deleted.
 * @param file remembers which databases have it
 */
export const ensureDemo = async (options: { file: string; database: string; baseUrl: string; token: string }) => {
  const done = known(options.file);
  if (done.includes(options.database)) return;
  try {
    await fill(options.baseUrl, options.token);
  } catch (error) {
    // Its prefixes are taken: another checkout filled this database long ago.
    if (!(error instanceof Refused && error.status === 409)) throw error;
  }
  replaceFile(options.file, JSON.stringify([...done, options.database], null, 2));
};
