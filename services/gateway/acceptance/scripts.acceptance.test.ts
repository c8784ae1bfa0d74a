import { randomUUID } from 'node:crypto';
import { eventually, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openStream, readStream } from './events/stream.ts';
import { type Body, Client, clientOf, expectRefusal, workspaceWithBoard } from './workspace.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  return () => world.stop();
});

/** Follows a stream with this query until the test ends. @returns what it has sent so far */
const followed = async ({ token }: Client, query: string): Promise<Body[]> => {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const path = `/events/stream?${query}`;
  const response = await openStream({ baseUrl: world.baseUrl, token, path, signal: end.signal });
  expect(response.status).toBe(200);
  const events: Body[] = [];
  void readStream(response, (event) => events.push(event)).catch(() => {});
  return events;
};

const names = (items: Body[]) => items.map(({ name }) => name);
const titles = (items: Body[]) => items.map(({ title }) => title);

describe('a script finds by name what it made before', () => {
  it.each([
    ['boards', 'workspace'],
    ['columns', 'board'],
    ['labels', 'workspace'],
  ])('%s, in any letter case', async (kind, of) => {
    const { client, board } = await workspaceWithBoard(world);
    const list = of === 'board' ? `/boards/${board.id}/${kind}` : `/${kind}`;
    for (const name of ['Straße', 'strasse', 'Strasse 2', 'Жук'])
      await client.data(client.post(list, { body: { name } }));
    expect(names(await client.all(`${list}?name=${encodeURIComponent(' STRASSE ')}`))).toEqual(['Straße', 'strasse']);
    expect(names(await client.all(`${list}?name=${encodeURIComponent('жУК')}`))).toEqual(['Жук']);
    expect(await client.all(`${list}?name=strass`)).toEqual([]);
    expectRefusal(await client.get(`${list}?name=`), 400, 'invalid_request');
    const first = await client.get(`${list}?name=strasse&limit=1`);
    expect(first.body.page.has_more).toBe(true);
    const cursor = first.body.page.next_cursor;
    expectRefusal(await client.get(`${list}?name=other&limit=1&cursor=${cursor}`), 400, 'invalid_request');
    expectRefusal(await client.get(`${list}?limit=1&cursor=${cursor}`), 400, 'invalid_request');
  });

  it('workstreams by prefix, and nothing of other workspaces or of boards that are hidden', async () => {
    const { client } = await workspaceWithBoard(world);
    await client.createWorkstream('PAY');
    expect(names(await client.all('/workstreams?prefix=pay'))).toEqual(['PAY']);
    expect(await client.all('/workstreams?prefix=PA')).toEqual([]);
    await client.data(client.post('/boards', { body: { name: 'Secret', visibility: 'private' } }));
    const colleague = await clientOf(world, { workspace: client.workspaceId });
    for (const other of [colleague, await clientOf(world)]) expect(await other.all('/boards?name=secret')).toEqual([]);
    expect(names(await client.all('/boards?name=secret'))).toEqual(['Secret']);
  });
});

describe('cards', () => {
  it('are found by up to a hundred ids and identifiers, without those that the caller does not see', async () => {
    const { client, column } = await workspaceWithBoard(world);
    const pay = await client.createWorkstream('PAY');
    const [a, b, c] = [
      await client.createCard(column.id, 'a'),
      await client.createCard(column.id, 'b'),
      await client.createCard(column.id, 'c'),
    ];
    const moved = await client.data(client.transfer(b, pay.id));
    await client.data(client.post(`/cards/${c.id}/archive`, { ifMatch: c.version }));
    const asked = (cards: string[], more = '') => `/cards?${cards.map((card) => `card=${card}`).join('&')}${more}`;
    const all = [a.id, b.identifier.toLowerCase(), moved.identifier, c.id, 'PAY-99', 'NONE-1', randomUUID()];
    expect(titles(await client.all(asked(all, '&sort=created')))).toEqual(['a', 'b']);
    expect(titles(await client.all(asked(all, '&sort=created&archived=any')))).toEqual(['a', 'b', 'c']);
    expect(titles(await client.all(asked([b.identifier])))).toEqual(['b']);
    expect(await client.all(asked(['PAY-99']))).toEqual([]);
    expect(await (await clientOf(world)).all(asked([a.id]))).toEqual([]);
    expectRefusal(await client.get('/cards?card=nonsense'), 400, 'invalid_request');
    const many = Array.from({ length: 101 }, (_, at) => `MAIN-${at + 1}`);
    expect(titles(await client.all(asked(many.slice(1), '&sort=created')))).toEqual(['b']);
    expectRefusal(await client.get(asked(many)), 400, 'invalid_request');
  });

  it('are listed by their last change, after a moment', async () => {
    const { client, board, column } = await workspaceWithBoard(world);
    const made: Body[] = [];
    for (const title of ['a', 'b', 'c']) made.push(await client.createCard(column.id, title));
    const first = await client.data(client.patch(`/cards/${made[0].id}`, { ifMatch: 1, body: { priority: 'urgent' } }));
    expect(titles(await client.all('/cards?sort=updated'))).toEqual(['b', 'c', 'a']);
    expect(titles(await client.all('/cards?sort=-updated'))).toEqual(['a', 'c', 'b']);
    const since = (moment: string) => `updated_after=${encodeURIComponent(moment)}`;
    const changed = (await client.all('/cards')).filter(({ updated_at }) => updated_at > made[1].updated_at);
    expect((await client.all(`/cards?${since(made[1].updated_at)}`)).length).toBe(changed.length);
    expect(await client.all(`/boards/${board.id}/cards?${since(first.updated_at)}`)).toEqual([]);
  });

  it('are archived ones, active ones, or any', async () => {
    const { client, board, column } = await workspaceWithBoard(world);
    const card = await client.createCard(column.id, 'archived');
    await client.createCard(column.id, 'active');
    await client.data(client.post(`/cards/${card.id}/archive`, { ifMatch: card.version }));
    for (const list of ['/cards', `/boards/${board.id}/cards`]) {
      expect(titles(await client.all(list))).toEqual(['active']);
      expect(titles(await client.all(`${list}?archived=true`))).toEqual(['archived']);
      expect(titles(await client.all(`${list}?archived=any`))).toEqual(['active', 'archived']);
      expectRefusal(await client.get(`${list}?archived=both`), 400, 'invalid_request');
    }
  });
});

describe('events', () => {
  it('say how far the log is, and begin at its head', async () => {
    const { client, column } = await workspaceWithBoard(world);
    const head = await eventually(async () => {
      const { page, data } = (await client.get('/events')).body;
      expect(data.map(({ type }: Body) => type)).toContain('column.created');
      return page.head as number;
    });
    expect((await client.get('/events?limit=1')).body.page).toMatchObject({ has_more: true, head });
    const now = (await client.get('/events?after=head')).body;
    expect(now).toEqual({ data: [], page: { next_cursor: null, has_more: false, head } });
    const events = await followed(client, 'after=head&types=card.*');
    const card = await client.createCard(column.id, 'new');
    const created = { type: 'card.created', subject: { id: card.id } };
    await eventually(() => expect(events).toMatchObject([created]));
    expectRefusal(await client.get('/events?after=tail'), 400, 'invalid_request');
  });

  it('are those of a user, of the caller, or of an API key, in lists and streams', async () => {
    const { client, column } = await workspaceWithBoard(world);
    const { key, id, user_id } = await client.data(
      client.post('/api-keys', { body: { name: 'ci', scope: 'kanban:write', user_id: randomUUID() } }),
    );
    const robot = new Client(world, client.workspaceId, user_id, key);
    const events = await followed(client, `actor=${id}`);
    const byHand = await client.createCard(column.id, 'by hand');
    const byRobot = await robot.createCard(column.id, 'by robot');
    await robot.data(robot.put(`/cards/${byHand.id}/assignees/${user_id}`));
    await robot.data(robot.patch(`/cards/${byHand.id}`, { ifMatch: 2, body: { title: 'by hand, and robot' } }));
    const kinds = async (query: string, path = '/events') => {
      const events = await client.all(`${path}?${query}`);
      return events.map(({ type, actor }) => `${type} ${actor.api_key_id === id ? 'key' : actor.api_key_id}`);
    };
    const robots = ['card.created key', 'card.updated key', 'card.updated key'];
    await eventually(async () => expect(await kinds(`actor=${id}`)).toEqual(robots));
    expect(await kinds(`actor=${user_id}`)).toEqual(robots);
    expect(await kinds('actor=me&types=board.*&types=card.*')).toEqual(['board.created null', 'card.created null']);
    expect(await kinds(`actor=${id}`, `/cards/${byRobot.id}/events`)).toEqual(['card.created key']);
    expect(await kinds(`actor=${id}&card=${byHand.identifier}`)).toEqual(robots.slice(1));
    const by = robots.map(() => ({ user_id, api_key_id: id }));
    await eventually(() => expect(events.map(({ actor }) => actor)).toEqual(by));
    expect(events[1]).toMatchObject({ changed: ['assignee_user_ids'], previous: { assignee_user_ids: [] } });
    expectRefusal(await client.get('/events?actor=somebody'), 400, 'invalid_request');
  });
});
