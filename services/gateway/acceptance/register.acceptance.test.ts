import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Body, clientOf, together, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();
const { client, board, column } = await workspaceWithBoard(stack);
const [pay, web] = [await client.createWorkstream('PAY'), await client.createWorkstream('WEB')];

const register = (query = '', by = client): Promise<Body[]> => by.all(`/workstreams/${pay.id}/identifiers?${query}`);
const create = (title: string): Promise<Body> => client.createCard(column.id, title, { workstream_id: pay.id });
const transferred = (card: Body): Promise<Body> => client.data(client.transfer(card, web.id));
const summaryOf = ({ id, identifier, title, board_id, completed_at, archived_at }: Body) => ({
  id,
  identifier,
  title,
  board_id,
  completed_at,
  archived_at,
});

describe('the register of a workstream', () => {
  it('has every identifier as soon as it is answered, in the order of numbers, with the current one of its card', async () => {
    const [stays, leaves, gone] = [await create('stays'), await create('leaves'), await create('gone')];
    const left = await transferred(leaves);
    await client.data(client.delete(`/cards/${gone.id}`, { ifMatch: 1 }));
    const [history] = await client.all(`/cards/${left.id}/identifiers`);
    expect(await register()).toEqual([
      {
        identifier: 'PAY-1',
        number: 1,
        is_current: true,
        current_identifier: 'PAY-1',
        card: summaryOf(stays),
        assigned_at: stays.created_at,
        superseded_at: null,
        adopted: false,
      },
      {
        identifier: 'PAY-2',
        number: 2,
        is_current: false,
        current_identifier: 'WEB-1',
        card: summaryOf(left),
        assigned_at: leaves.created_at,
        superseded_at: history.superseded_at,
        adopted: false,
      },
      {
        identifier: 'PAY-3',
        number: 3,
        is_current: true,
        current_identifier: null,
        card: null,
        assigned_at: gone.created_at,
        superseded_at: null,
        adopted: false,
      },
    ]);
  });

  it('can be filtered by whether identifiers are current, and read page by page', async () => {
    const numbers = async (query: string) => (await register(query)).map(({ number }) => number);
    expect(await numbers('current=true')).toEqual([1, 3]);
    expect(await numbers('current=false')).toEqual([2]);
    const path = `/workstreams/${pay.id}/identifiers`;
    const first = await client.get(`${path}?limit=2`);
    expect(first.body).toMatchObject({ data: [{ number: 1 }, { number: 2 }], page: { has_more: true } });
    const { next_cursor } = first.body.page;
    const next = await client.get(`${path}?limit=2&cursor=${next_cursor}`);
    expect(next.body).toMatchObject({ data: [{ number: 3 }], page: { next_cursor: null } });
    for (const other of [`${path}?current=true`, `/workstreams/${web.id}/identifiers?limit=2`]) {
      expect((await client.get(`${other}&cursor=${next_cursor}`)).status).toBe(400);
    }
  });

  it('shows a hidden card as it shows one that is deleted', async () => {
    const hidden = await client.data(client.post('/boards', { body: { name: 'Hidden', visibility: 'private' } }));
    const to = await client.data(client.post(`/boards/${hidden.id}/columns`, { body: { name: 'To do' } }));
    const make = () => client.createCard(to.id, 'secret', { workstream_id: pay.id });
    const [doomed, moved] = [await make(), await make()];
    for (const card of [doomed, moved]) await transferred(card);
    await make();
    await client.data(client.delete(`/cards/${doomed.id}`, { ifMatch: 2 }));
    const stranger = await clientOf(stack, { workspace: client.workspaceId });
    const [...seen] = (await register('', stranger)).slice(2);
    const nothing = { current_identifier: null, card: null };
    expect(seen).toMatchObject([
      { number: 3, is_current: true, superseded_at: null, ...nothing },
      { number: 4, is_current: false, superseded_at: expect.any(String), ...nothing },
      { number: 5, is_current: false, superseded_at: expect.any(String), ...nothing },
      { number: 6, is_current: true, superseded_at: null, ...nothing },
    ]);
    expect((await register()).at(-1)).toMatchObject({
      number: 6,
      current_identifier: 'PAY-6',
      card: { title: 'secret' },
    });
  });

  it('has adopted identifiers', async () => {
    const make = (prefix: string) =>
      client.data(client.post('/workstreams', { body: { name: prefix, prefix, adopting: true } }));
    const [old, present] = [await make('OLD'), await make('NOW')];
    const created_at = '2020-01-02T03:04:05.000Z';
    const brought = { number: 7, former: ['OLD-5'], column_id: column.id, title: 'moved in', created_at };
    const [{ data: card }] = await client.data(
      client.post(`/workstreams/${present.id}/adoptions`, { body: { cards: [brought] } }),
    );
    const entries = (workstream: Body) => client.all(`/workstreams/${workstream.id}/identifiers`);
    const adopted = { current_identifier: 'NOW-7', card: { id: card.id }, superseded_at: null, adopted: true };
    expect(await entries(old)).toMatchObject([{ number: 5, is_current: false, assigned_at: null, ...adopted }]);
    expect(await entries(present)).toMatchObject([
      { number: 7, is_current: true, assigned_at: created_at, ...adopted },
    ]);
    const { identifier } = await transferred(card);
    expect(await entries(present)).toMatchObject([
      {
        is_current: false,
        current_identifier: identifier,
        superseded_at: expect.any(String),
        assigned_at: created_at,
        adopted: true,
      },
    ]);
    expect((await client.get(`/cards/old-5`)).body.data).toMatchObject({ id: card.id, identifier });
  });

  it('misses no answered identifier while it grows', async () => {
    const before = (await register()).length;
    await together(5, async (at) => {
      for (let round = 0; round < 4; round += 1) {
        const card = await create(`${at} ${round}`);
        const find = async () => (await register()).find(({ identifier }) => identifier === card.identifier);
        expect(await find()).toMatchObject({ is_current: true, card: { id: card.id }, superseded_at: null });
        const { identifier } = await transferred(card);
        expect(await find()).toMatchObject({
          is_current: false,
          current_identifier: identifier,
          superseded_at: expect.any(String),
        });
      }
    });
    const all = await register();
    expect(all.map(({ number }) => number)).toEqual(all.map((_, at) => at + 1));
    expect(all).toHaveLength(before + 20);
    expect(await client.all(`/workstreams/${pay.id}/identifiers?current=true`)).toHaveLength(3);
    expect(board.id).toBe(all[0]?.card.board_id);
  });
});
