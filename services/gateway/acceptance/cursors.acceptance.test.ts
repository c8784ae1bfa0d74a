import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { eventually, sharedStack } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import document from '../openapi.json' with { type: 'json' };
import { type Client, expectRefusal, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

/** Every operation that takes a cursor. */
const lists = Object.entries(document.paths).flatMap(([path, item]) => {
  const { parameters = [] } = ('get' in item ? item.get : {}) as { parameters?: { name: string }[] };
  return parameters.some(({ name }) => name === 'cursor') ? [path.replace('/api/kanban/v1', '')] : [];
});

let client: Client;
let ids: Record<string, string>;
const cursors = new Map<string, string>();

const addressOf = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
const read = (path: string, cursor: string) =>
  client.get(`${addressOf(path)}?limit=1&cursor=${encodeURIComponent(cursor)}`);

/** Two of everything, so that every list has a second page. */
beforeAll(async () => {
  const world = await workspaceWithBoard(stack);
  client = world.client;
  const { board, column } = world;
  const { post, put } = client;
  const card = await client.createCard(column.id, 'one');
  const card_id = card.id;
  const [main] = await client.data(client.get('/workstreams'));
  ids = { board_id: board.id, card_id, workstream_id: main.id };
  await client.data(post('/boards', { body: { name: 'Another' } }));
  await client.data(post(`/boards/${board.id}/columns`, { body: { name: 'Doing' } }));
  for (const name of ['one', 'two']) {
    await client.data(put(`/boards/${board.id}/members/${randomUUID()}`));
    await client.data(post('/labels', { body: { name, color: '#1d76db' } }));
    await client.data(post(`/cards/${card_id}/comments`, { body: { body: name } }));
    await client.data(post(`/cards/${card_id}/subtasks`, { body: { title: name } }));
    await client.data(post('/files', { body: { name } }));
    await client.data(post('/api-keys', { body: { name, scope: 'kanban:read' } }));
    await client.data(post('/people', { body: { name } }));
    await client.data(post('/webhooks', { body: { url: 'https://receiver.invalid/', types: ['file.*'] } }));
    const [before, after] = [await client.createCard(column.id, name), await client.createCard(column.id, name)];
    await client.data(put(`/cards/${card_id}/dependencies/${before.id}`));
    await client.data(put(`/cards/${after.id}/dependencies/${card_id}`));
  }
  const target = await client.createWorkstream('PAY');
  await client.data(client.transfer(await client.card(card_id), target.id));
  const [webhook] = await client.data(client.get('/webhooks'));
  ids = { ...ids, webhook_id: webhook.id };
  for (const _ of ['one', 'two']) await client.data(post(`/webhooks/${webhook.id}/ping`));
  const firstPage = async (path: string) => {
    const { status, body } = await client.get(`${addressOf(path)}?limit=1`);
    expect({ path, status, has_more: body.page?.has_more }).toEqual({ path, status: 200, has_more: true });
    return body.page.next_cursor;
  };
  // Events and deliveries come a moment later.
  for (const path of lists) cursors.set(path, await eventually(() => firstPage(path)));
});

const pack = (text: string) => Buffer.from(text).toString('base64url');
const cursorOf = (path: string) => cursors.get(path) ?? '';
const contentOf = (path: string): unknown[] => JSON.parse(Buffer.from(cursorOf(path), 'base64url').toString());

/** A cursor of this list with forged content, in JSON. */
const forge = (path: string, said: string[]) => {
  const [list] = contentOf(path);
  return pack(`[${JSON.stringify(list)},${crc32(`[${said}]`)}${said.map((one) => `,${one}`).join('')}]`);
};

/** What no key of any list is, in JSON. */
const lies = [
  ...['null', 'true', '[]', '{}', '""', '"x"', '1e999', '-1e999', 'NaN', '"NaN"', '"infinity"', '"now"', '"\\u0000"'],
  ...['"0000-01-01T00:00:00.000Z"', '"+275760-09-13T00:00:00.000Z"', '"2026-02-30T00:00:00.000Z"'],
  ...['{"__proto__":1}', '["constructor"]', `"${'9'.repeat(400)}"`, '"00000000-0000-0000-0000-00000000000g"'],
];

/** The ends of the types that keys are of: a key is no wider than the column that it is compared with. */
const ends = [
  ...[0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e308, -1e308, 5e-324],
  ...['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', 'PA-1', 'ZZZZZZZZZZ-999999999999999'],
  ...['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
].map((end) => JSON.stringify(end));

/** Texts that are no cursors; each list gets one of them. */
const nonsense = [
  ...['x', '0', 'null', '__proto__', 'constructor', 'AAAA', '=', ' ', '%', '\0', 'ä', '[]', 'a.b', 'A'.repeat(1_025)],
  ...['null', '[]', '{}', '0', '"x"', '[null]', '["x",0]', '['.repeat(700), '{"length":3}', '\ufeff[]'].map(pack),
];

describe.each(lists)('a cursor of GET %s', (path) => {
  it('goes on in its list', async () => {
    expect((await read(path, cursorOf(path))).status).toBe(200);
    const truths = contentOf(path)
      .slice(2)
      .map((key) => JSON.stringify(key));
    expect(forge(path, truths)).toBe(cursorOf(path));
  });

  it('is 400 where it is forged', async () => {
    const truths = contentOf(path)
      .slice(2)
      .map((key) => JSON.stringify(key));
    const forgeries = [
      // A list of all cards has no date in its cursor, where it is not by date.
      ...truths.flatMap((truth, at) =>
        lies.filter((lie) => lie !== truth).map((lie) => forge(path, truths.with(at, lie))),
      ),
      forge(path, [...truths, '1']),
      forge(path, truths.slice(1)),
      forge(path, truths.toReversed().concat('1')),
      pack(JSON.stringify(contentOf(path).with(2, randomUUID()))),
      pack(JSON.stringify(contentOf(path).with(0, 'AAAAAAAAAAAA'))),
      cursorOf(path).slice(0, -1),
      `${cursorOf(path)}A`,
    ];
    for (const cursor of forgeries) expectRefusal(await read(path, cursor), 400, 'invalid_request');
  });

  it('begins anywhere between the ends of its keys, or is 400', async () => {
    const truths = contentOf(path)
      .slice(2)
      .map((key) => JSON.stringify(key));
    const answers = await Promise.all(
      truths.flatMap((_, at) => ends.map((end) => read(path, forge(path, truths.with(at, end))))),
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 400).map(({ text }) => text)).toEqual([]);
    expect(answers.map(({ status }) => status)).toContain(200);
  });

  it('is 400 in the next list, and so is some nonsense here', async () => {
    const at = lists.indexOf(path);
    const next = lists[(at + 1) % lists.length] ?? '';
    expectRefusal(await read(next, cursorOf(path)), 400, 'invalid_request');
    const share = nonsense.filter((_, n) => n % lists.length === at);
    expect(share.length).toBeGreaterThan(0);
    for (const cursor of share) expectRefusal(await read(path, cursor), 400, 'invalid_request');
  });
});

it('a cursor names its list, and every list has its own name', () => {
  const names = lists.map((path) => contentOf(path)[0]);
  expect(new Set(names).size).toBe(lists.length);
});
