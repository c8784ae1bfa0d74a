import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { type Body, clientOf, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

type Admin = Awaited<ReturnType<typeof workspaceWithBoard>>['client'];

const adopting = (client: Admin, prefix: string): Promise<Body> =>
  client.data(client.post('/workstreams', { body: { name: prefix, prefix, adopting: true } }));
const adopt = (client: Admin, { id }: Body, cards: object[], key: string = randomUUID()) =>
  client.post(`/workstreams/${id}/adoptions`, { body: { cards }, key });
const open = (client: Admin, { id, version }: Body, body?: object) =>
  client.post(`/workstreams/${id}/open`, { ifMatch: version, ...(body && { body }) });

it.each([2_147_483_647, 2_147_483_648, 999_999_999_999])(
  'numbers up to the largest are adopted: %i',
  async (number) => {
    const { client, column } = await workspaceWithBoard(stack);
    const [web, old, far] = [
      await adopting(client, 'WEB'),
      await adopting(client, 'OLD'),
      await adopting(client, 'FAR'),
    ];
    const card = { column_id: column.id, title: 'Far' };
    const cards = [
      { ...card, number, former: [`OLD-${number}`] },
      { ...card, number: 1 },
      { ...card, number: 10 ** 12 },
    ];
    const { body } = await adopt(client, web, cards.slice(0, 2));
    expect(body.data.map(({ status }: Body) => status)).toEqual([201, 201]);
    for (const name of [`WEB-${number}`, `OLD-${number}`]) {
      const found = await client.data(client.get(`/cards/by-identifier/${name}`));
      expect(found.card.id).toBe(body.data[0].data.id);
    }
    expect((await adopt(client, web, cards)).status).toBe(422);
    expect((await open(client, web)).status).toBe(200);
    expect((await open(client, old)).status).toBe(200);
    expect((await open(client, far, { next_number: number })).status).toBe(200);
    const create = async ({ id }: Body) =>
      (await client.createCard(column.id, 'Next', { workstream_id: id })).identifier;
    expect(await Promise.all([web, old, far].map(create))).toEqual([
      `WEB-${number + 1}`,
      `OLD-${number + 1}`,
      `FAR-${number}`,
    ]);
  },
);

it('cards keep their identifiers, former ones too, and new numbers follow the highest', async () => {
  const { client, column } = await workspaceWithBoard(stack);
  const [web, old] = [await adopting(client, 'WEB'), await adopting(client, 'OLD')];
  expect(web).toMatchObject({ adopting: true, version: 1 });
  const key = randomUUID();
  const cards = [
    {
      number: 7182,
      former: ['OLD-5', 'WEB-3'],
      column_id: column.id,
      title: 'Refunds fail',
      priority: 'urgent',
      created_at: '2019-04-01T09:30:00.000Z',
      completed_at: '2020-01-01T00:00:00.000Z',
    },
    { number: 12, column_id: column.id, title: 'Below it' },
  ];
  const first = await adopt(client, web, cards, key);
  expect(first.status).toBe(200);
  expect(first.body.data).toMatchObject([
    { identifier: 'WEB-7182', status: 201, data: { identifier: 'WEB-7182', version: 3, workstream: { id: web.id } } },
    { identifier: 'WEB-12', status: 201, data: { created_by: client.userId } },
  ]);
  const again = await adopt(client, web, cards, key);
  expect(again.text).toBe(first.text);
  expect(again.headers.get('idempotent-replayed')).toBe('true');

  const [{ data: card }] = first.body.data;
  expect(await client.data(client.get(`/cards/${card.id}`))).toEqual(card);
  for (const name of ['OLD-5', 'web-3', 'WEB-7182']) {
    expect(await client.data(client.get(`/cards/by-identifier/${name}`))).toMatchObject({ card });
  }
  const listed = await client.data(client.get(`/boards/${column.board_id}/cards`));
  expect(listed.map(({ identifier }: Body) => identifier)).toEqual(['WEB-7182', 'WEB-12']);

  const opened = await open(client, web);
  expect(opened.body.data).toMatchObject({ adopting: false, version: 2, archived_at: null });
  expect(await client.createCard(column.id, 'New', { workstream_id: web.id })).toMatchObject({
    identifier: 'WEB-7183',
  });
  await client.data(client.post(`/workstreams/${old.id}/archive`, { ifMatch: 1 }));
  const history = await client.data(client.get(`/cards/${card.id}/identifiers`));
  expect(history).toMatchObject([
    { identifier: 'OLD-5', adopted: true, assigned_at: null, superseded_at: null, is_current: false },
    { identifier: 'WEB-3', adopted: true, assigned_at: null, superseded_at: null, is_current: false },
    { identifier: 'WEB-7182', adopted: true, assigned_at: card.created_at, superseded_at: null, is_current: true },
  ]);
  expect((await adopt(client, web, cards)).status).toBe(409);
});

it('identifiers of deleted and of hidden cards are taken, and the refusal does not name a hidden card', async () => {
  const { client, column } = await workspaceWithBoard(stack);
  const bee = await adopting(client, 'BEE');
  const hidden = await client.data(client.post('/boards', { body: { name: 'Mine', visibility: 'private' } }));
  const inside = await client.data(client.post(`/boards/${hidden.id}/columns`, { body: { name: 'To do' } }));
  const rows = [column, inside, column].map(({ id }, at) => ({
    number: at + 1,
    column_id: id,
    title: `Row ${at}`,
    created_at: '2020-01-01T00:00:00.000Z',
  }));
  const made = (await adopt(client, bee, rows)).body.data.map(({ data }: Body) => data);
  await client.data(client.delete(`/cards/${made[0].id}`, { ifMatch: made[0].version }));
  const colleague = await clientOf(stack, { workspace: client.workspaceId });
  const again = await adopt(
    colleague,
    bee,
    rows.map((row) => ({ ...row, column_id: column.id })),
  );
  expect(again.status).toBe(200);
  const details = [null, null, made[2].id].map((card_id, at) => ({ identifier: `BEE-${at + 1}`, card_id }));
  expect(again.body.data).toMatchObject(
    details.map((one) => ({ status: 409, error: { code: 'conflict', details: one } })),
  );
  expect((await client.get('/cards/BEE-1')).status).toBe(404);
});

it('MAIN adopts before the first card: creates are refused until it is opened, and then follow the highest number', async () => {
  const { client, column } = await workspaceWithBoard(stack);
  const made = await client.post('/workstreams', { body: { name: 'Main', prefix: 'main', adopting: true } });
  expect(made.status).toBe(201);
  const main = made.body.data;
  expect(main).toMatchObject({ prefix: 'MAIN', is_default: true, adopting: true });
  const create = () => client.post(`/columns/${column.id}/cards`, { body: { title: 'New' } });
  const byBoard = await client.patch(`/boards/${column.board_id}`, {
    body: { default_workstream_id: main.id },
    ifMatch: 1,
  });
  const pay = await client.data(client.post('/workstreams', { body: { name: 'Payments', prefix: 'PAY' } }));
  const elsewhere = await client.createCard(column.id, 'Elsewhere', { workstream_id: pay.id });
  const transfer = { body: { workstream_id: main.id }, ifMatch: elsewhere.version };
  const archive = await client.post(`/workstreams/${main.id}/archive`, { ifMatch: main.version });
  const refused = [byBoard, await create(), await client.patch(`/cards/${elsewhere.id}`, transfer), archive];
  expect(refused.map(({ status }) => status)).toEqual([409, 409, 409, 409]);

  const card = { column_id: column.id, title: 'From before', created_at: '2019-04-01T09:30:00.000Z' };
  const { body } = await adopt(
    client,
    main,
    [{ ...card, number: 12 }, card].map((one, at) => ({ number: at + 1, ...one })),
  );
  expect(body.data.map(({ identifier }: Body) => identifier)).toEqual(['MAIN-12', 'MAIN-2']);
  expect((await open(client, main)).body.data).toMatchObject({ adopting: false, version: 3 });
  expect((await create()).body.data).toMatchObject({ identifier: 'MAIN-13' });
  const entries = await client.data(client.get(`/workstreams/${main.id}/identifiers`));
  expect(entries.map(({ identifier, adopted }: Body) => [identifier, adopted])).toEqual([
    ['MAIN-2', true],
    ['MAIN-12', true],
    ['MAIN-13', false],
  ]);
  expect((await client.post('/workstreams', { body: { name: 'Main', prefix: 'MAIN', adopting: true } })).status).toBe(
    409,
  );
});

it('a first create and sixteen requests that MAIN adopt: MAIN-1 is one card, and only one side succeeds', async () => {
  for (const place of [0, 3, 16]) {
    const { client, column } = await workspaceWithBoard(stack);
    const answers = await Promise.all(
      Array.from({ length: 17 }, (_, at) =>
        at === place
          ? client.post(`/columns/${column.id}/cards`, { body: { title: 'First' } })
          : client.post('/workstreams', { body: { name: 'Main', prefix: 'MAIN', adopting: true } }),
      ),
    );
    const yes = answers.filter(({ status }) => status === 201);
    expect(yes).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(16);
    const [main] = await client.data(client.get('/workstreams'));
    expect(main.adopting).toBe(yes[0]?.body.data.type === 'workstream');
    const adopted = await adopt(client, main, [{ number: 1, column_id: column.id, title: 'Adopted' }]);
    expect(adopted.status).toBe(main.adopting ? 200 : 409);
  }
});
