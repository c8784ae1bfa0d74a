import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { failureOf, talkTo } from '../test/serve.ts';
import { type Card, createClient, writeFresh } from './index.ts';

const id = '0190a000-0000-7000-8000-000000000001';
const stale = {
  status: 412,
  body: { error: { code: 'precondition_failed', message: 'No.', details: { current_version: 9 } } },
};

it('reads again and repeats a write that came too late', async () => {
  let version = 1;
  const { client, seen } = await talkTo(({ method, headers }) => {
    if (method === 'GET') return { status: 200, body: { data: { id, version, title: `v${version}` } } };
    // Another writer is quicker the first two times.
    version += 1;
    return version < 4 ? stale : { status: 200, body: { data: { id, version, title: headers['if-match'] } } };
  });
  const { cards } = client;
  const edit = (card: Card) => cards.update(card, { title: `${card.title}!` });
  expect(await writeFresh(() => cards.get(id), edit)).toMatchObject({ title: '"3"' });
  expect(seen.filter(({ method }) => method === 'PATCH').map(({ body }) => body)).toEqual([
    '{"title":"v1!"}',
    '{"title":"v2!"}',
    '{"title":"v3!"}',
  ]);
});

it('gives up after as many writes as it may do, and on any other refusal', async () => {
  const { client, seen } = await talkTo(({ method }) =>
    method === 'GET' ? { status: 200, body: { data: { id, version: 1 } } } : stale,
  );
  const { cards } = client;
  const read = () => cards.get(id);
  const late = await failureOf(writeFresh(read, (card) => cards.update(card, { title: 'x' }), { attempts: 2 }));
  expect(late).toMatchObject({ code: 'precondition_failed', details: { current_version: 9 } });
  expect(seen).toHaveLength(4);
  expect(await failureOf(writeFresh(read, () => Promise.reject(new Error('mine'))))).toMatchObject({ message: 'mine' });
  expect(seen).toHaveLength(5);
});

it('reads only what has changed', async () => {
  const { client, seen } = await talkTo(({ headers }) =>
    headers['if-none-match'] === '"3"' ? { status: 304 } : { status: 200, body: { data: { id, version: 4 } } },
  );
  const { cards } = client;
  const unchanged: Card | null = await cards.get(id, { ifNoneMatch: { version: 3 } });
  expect(unchanged).toBeNull();
  expect(await cards.get(id, { ifNoneMatch: { version: 2 } })).toEqual({ id, version: 4 });
  expect(await cards.get(id)).toEqual({ id, version: 4 });
  expect(seen[2]?.headers).not.toHaveProperty('if-none-match');
});

it('names itself, in its version', async () => {
  const { client, seen, url } = await talkTo(() => ({ status: 200, body: { data: { id } } }));
  await client.cards.get(id);
  await createClient({ baseUrl: url, token: 't', headers: { 'user-agent': 'shop/2' } }).cards.get(id);
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(seen.map(({ headers }) => headers['user-agent'])).toEqual([`cardinal-client/${version}`, 'shop/2']);
});

it('reports once that nothing was sent to an invalid port', async () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:6000', token: 't' });
  expect(await failureOf(client.boards.create({ name: 'Payments' }))).toMatchObject({
    code: 'connection_failed',
    details: { neverSent: true, reason: 'bad port' },
    attempts: 1,
  });
});
