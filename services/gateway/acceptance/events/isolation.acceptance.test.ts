import { randomUUID } from 'node:crypto';
import { eventually, sharedStack, whitePng } from '@cardinal/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { uploaded } from '../files/uploading.ts';
import { type Body, type Client, clientOf } from '../workspace.ts';
import { type Follower, startFollower } from './follower.ts';
import { logOf, mark, typesOf } from './log.ts';

const stack = await sharedStack();

/** Makes boards, and everything on them. */
let owner: Client;
/** Sees the private board as long as it is a member of it. */
let member: Client;
/** Sees only what the workspace sees, whatever its scope. */
let stranger: Client;

interface Place {
  board: Body;
  column: Body;
}
/** A board that the workspace sees. */
let open: Place;
/** One that only its creator and its members see. */
let hidden: Place;

const place = async (name: string, visibility: string): Promise<Place> => {
  const board = await owner.data(owner.post('/boards', { body: { name, visibility } }));
  const column = await owner.data(owner.post(`/boards/${board.id}/columns`, { body: { name: `${name} column` } }));
  return { board, column };
};

beforeEach(async () => {
  owner = await clientOf(stack);
  const workspace = owner.workspaceId;
  [member, stranger] = [await clientOf(stack, { workspace }), await clientOf(stack, { workspace })];
  [open, hidden] = [await place('open', 'workspace'), await place('secret', 'private')];
  await owner.data(owner.put(`/boards/${hidden.board.id}/members/${member.userId}`));
});

/** A follower of a user, until the test ends. */
const follow = (client: Client, from?: number): Follower => {
  const follower = startFollower(() => [stack.baseUrl], client.token, from);
  onTestFinished(() => follower.stop());
  return follower;
};

/** Everything that a follower got until now. */
const streamed = async (follower: Follower): Promise<Body[]> => {
  const { id } = await mark(owner);
  await follower.until(id);
  return [...follower.events];
};

/** What a user sees now, the same by pages and by a stream that begins at the beginning. */
const seenBy = async (reader: Client): Promise<Body[]> => {
  const events = await logOf(owner, reader);
  const follower = follow(reader);
  await eventually(() => expect(follower.events.length).toBeGreaterThanOrEqual(events.length));
  expect(follower.events.slice(0, events.length)).toEqual(events);
  await follower.stop();
  return events;
};

const move = async (card: Body, column: Body): Promise<Body> => {
  const { version } = await owner.card(card.id);
  return owner.data(owner.post(`/cards/${card.id}/move`, { ifMatch: version, body: { column_id: column.id } }));
};

describe('a stranger receives nothing of a private board', () => {
  it('by any field of any event, by pages or by a stream', async () => {
    const follower = follow(stranger);
    const { board, column } = hidden;
    const card = await owner.createCard(column.id, 'secret card');
    const near = await owner.createCard(open.column.id, 'card in the open');
    const part = await owner.data(owner.post(`/cards/${near.id}/subtasks`, { body: { title: 'part' } }));
    const comment = await owner.data(owner.post(`/cards/${card.id}/comments`, { body: { body: 'secret comment' } }));
    const subtask = await owner.data(owner.post(`/cards/${card.id}/subtasks`, { body: { title: 'secret subtask' } }));
    const file = await uploaded(owner, 'secret.png', whitePng(6, 6), { board_id: board.id });
    await owner.data(owner.put(`/cards/${near.id}/dependencies/${card.id}`));
    const waiting = await owner.createCard(column.id, 'secret too');
    await owner.data(owner.put(`/cards/${waiting.id}/dependencies/${near.id}`));
    await owner.data(owner.put(`/cards/${near.id}/cover/${file.id}`));
    await owner.data(owner.put(`/cards/${card.id}/cover/${file.id}`));
    await owner.data(owner.put(`/subtasks/${part.id}/linked-file/${file.id}`));
    await owner.data(owner.put(`/subtasks/${subtask.id}/linked-file/${file.id}`));
    const renamed = {
      ifMatch: (await owner.data(owner.get(`/subtasks/${part.id}`))).version,
      body: { title: 'parts' },
    };
    await owner.data(owner.patch(`/subtasks/${part.id}`, renamed));
    const cards = [{ card: card.id }, { card: near.id }];
    await owner.data(owner.post('/cards/bulk', { body: { cards, add_assignees: [stranger.userId] } }));
    await owner.data(owner.patch(`/comments/${comment.id}`, { ifMatch: 1, body: { body: 'secret still' } }));
    await owner.data(owner.patch(`/boards/${board.id}`, { ifMatch: board.version, body: { name: 'secret name' } }));
    await owner.data(owner.delete(`/subtasks/${part.id}/linked-file`));
    await owner.data(owner.delete(`/cards/${near.id}/cover`));
    await owner.data(owner.delete(`/cards/${near.id}/dependencies/${card.id}`));
    const { version } = await owner.card(card.id);
    await owner.data(owner.delete(`/cards/${card.id}`, { ifMatch: version }));
    await owner.data(owner.delete(`/files/${file.id}`));

    const ids = [board, column, card, waiting, comment, subtask, file].map(({ id }) => id);
    for (const events of [await seenBy(stranger), await streamed(follower)]) {
      const text = JSON.stringify(events);
      for (const secret of [...ids, card.identifier, 'secret']) expect(text).not.toContain(secret);
      expect(typesOf(events)).toContain('subtask.updated');
    }
    // A member sees all of it, so the test compares something.
    const told = JSON.stringify(await seenBy(member));
    for (const secret of [...ids, card.identifier, 'secret comment']) expect(told).toContain(secret);
    expect((await stranger.get(`/cards/${card.id}/events`)).status).toBe(404);
    const everything = await owner.all('/events');
    expect(everything.map(({ seq }) => seq)).toEqual(everything.map((_, at) => at + 1));
  });

  it('by filters', async () => {
    const card = await owner.createCard(hidden.column.id, 'secret card');
    await logOf(owner);
    const asked = async (by: Client, query: string) => {
      const { status, body } = await by.get(`/events?${query}`);
      return { status, data: body.data, code: body.error?.code };
    };
    expect(await asked(stranger, `board_id=${hidden.board.id}`)).toEqual(
      await asked(stranger, `board_id=${randomUUID()}`),
    );
    expect(await asked(stranger, `card=${card.id}`)).toEqual(await asked(stranger, `card=${randomUUID()}`));
    expect(await asked(stranger, `card=${card.identifier}`)).toEqual(await asked(stranger, 'card=NEVER-1'));
    expect((await asked(member, `card=${card.identifier}`)).data).toHaveLength(1);
  });

  it('of another workspace, nor anything of it', async () => {
    const other = await clientOf(stack);
    await mark(other);
    const ids = (await logOf(other)).map(({ actor }) => actor.user_id);
    expect(new Set(ids)).toEqual(new Set([other.userId]));
    expect(JSON.stringify(await seenBy(owner))).not.toContain(other.userId);
  });
});

const ofBoard =
  ({ id }: Body) =>
  (events: Body[]) =>
    events.filter((event) => JSON.stringify(event).includes(id));

/** The event of something that left a reader's sight. */
const departure = (type: string, { id }: Body) =>
  expect.objectContaining({ type, board_id: id, changed: [], previous: {}, data: null });

describe('visibility is checked for each page', () => {
  it('when a board becomes private, and open again', async () => {
    const watching = follow(stranger);
    await owner.createCard(open.column.id, 'before');
    expect(typesOf(await seenBy(stranger))).toContain('card.created');
    const closed = await owner.data(
      owner.patch(`/boards/${open.board.id}`, { ifMatch: open.board.version, body: { visibility: 'private' } }),
    );
    await owner.createCard(open.column.id, 'while private');
    expect(await seenBy(stranger).then(ofBoard(open.board))).toEqual([departure('board.updated', open.board)]);
    const during = await streamed(watching);
    expect(JSON.stringify(during)).not.toContain('while private');
    expect(JSON.stringify(during)).not.toContain('"visibility":"private"');

    await owner.data(
      owner.patch(`/boards/${open.board.id}`, { ifMatch: closed.version, body: { visibility: 'workspace' } }),
    );
    await owner.createCard(open.column.id, 'after');
    const titles = (await seenBy(stranger)).filter(({ type }) => type === 'card.created').map(({ data }) => data.title);
    expect(titles).toEqual(['before', 'while private', 'after']);
    const last = (await streamed(watching)).filter(({ type }) => type === 'card.created');
    // A stream goes on from where it is; what it could not see then it does not see later.
    expect(last.map(({ data }) => data.title)).toEqual(['before', 'after']);
  });

  it('when a member leaves', async () => {
    const watching = follow(member);
    const card = await owner.createCard(hidden.column.id, 'as a member');
    expect(JSON.stringify(await streamed(watching))).toContain('as a member');
    expect(await member.all(`/cards/${card.id}/events`)).toHaveLength(1);

    await owner.data(owner.delete(`/boards/${hidden.board.id}/members/${member.userId}`));
    await owner.createCard(hidden.column.id, 'without them');
    const told = departure('member.removed', hidden.board);
    expect((await streamed(watching).then(ofBoard(hidden.board))).at(-1)).toEqual(told);
    expect(await seenBy(member).then(ofBoard(hidden.board))).toEqual([told]);
    expect((await member.get(`/cards/${card.id}/events`)).status).toBe(404);
  });

  it('when a board is deleted: its former readers see its last state', async () => {
    const cards = [await owner.createCard(open.column.id, 'open'), await owner.createCard(hidden.column.id, 'secret')];
    await logOf(owner);
    const before = { member: await seenBy(member), stranger: await seenBy(stranger) };
    for (const { board } of [open, hidden]) await owner.data(owner.delete(`/boards/${board.id}`, { ifMatch: 1 }));
    const after = { member: await seenBy(member), stranger: await seenBy(stranger) };
    expect(after.member.slice(0, before.member.length)).toEqual(before.member);
    expect(after.stranger.slice(0, before.stranger.length)).toEqual(before.stranger);
    const ended = (events: Body[]) =>
      events.filter(({ type }) => type === 'board.deleted').map(({ board_id }) => board_id);
    expect(ended(after.member)).toEqual([open.board.id, hidden.board.id]);
    expect(ended(after.stranger)).toEqual([open.board.id]);
    expect(await stranger.all(`/cards/${cards[0].id}/events`)).toHaveLength(1);
    expect((await stranger.get(`/cards/${cards[1].id}/events`)).status).toBe(404);
  });

  it('when a card comes from a private board, and goes back', async () => {
    const watching = follow(stranger);
    const card = await owner.createCard(hidden.column.id, 'secret title');
    await owner.data(owner.patch(`/cards/${card.id}`, { ifMatch: card.version, body: { title: 'said in the open' } }));
    await move(card, open.column);
    expect((await stranger.get(`/cards/${card.id}`)).status).toBe(200);
    const there = await streamed(watching);
    for (const events of [there, await seenBy(stranger), await stranger.all(`/cards/${card.id}/events`)]) {
      const ofCard = events.filter((one) => one.card?.id === card.id);
      expect(typesOf(ofCard)).toEqual(['card.moved']);
      expect(ofCard[0].data).toMatchObject({ board_id: open.board.id, column_id: open.column.id });
      expect(Object.keys(ofCard[0].previous)).not.toContain('board_id');
      for (const secret of [hidden.board.id, hidden.column.id, 'secret']) {
        expect(JSON.stringify(events)).not.toContain(secret);
      }
    }
    const seenByMember = (await member.all(`/cards/${card.id}/events`)).at(-1);
    expect(seenByMember.previous).toMatchObject({ board_id: hidden.board.id, column_id: hidden.column.id });

    await move(card, hidden.column);
    await owner.data(owner.post(`/cards/${card.id}/comments`, { body: { body: 'secret again' } }));
    for (const events of [await streamed(watching), await seenBy(stranger)]) {
      const [arrived, left, ...more] = events.filter((one) => one.card?.id === card.id);
      expect([arrived.type, left, more]).toEqual(['card.moved', departure('card.moved', open.board), []]);
      expect(JSON.stringify(events)).not.toContain('secret');
      expect(JSON.stringify(events)).not.toContain(hidden.board.id);
    }
    expect((await stranger.get(`/cards/${card.id}/events`)).status).toBe(404);
    expect(typesOf(await member.all(`/cards/${card.id}/events`))).toEqual([
      ...['card.created', 'card.updated', 'card.moved', 'card.moved', 'comment.created'],
    ]);
  });

  it('when a token lacks the scope, or ends', async () => {
    const { workspaceId: workspace, userId: user } = owner;
    const powerless = await clientOf(stack, { workspace, user, scope: 'kanban:other' });
    for (const path of ['/events', '/events/stream', `/cards/${randomUUID()}/events`]) {
      expect([path, (await powerless.get(path)).status]).toEqual([path, 403]);
      const nobody = { headers: { authorization: '' } };
      expect([path, (await powerless.get(path, nobody)).status]).toEqual([path, 401]);
    }
  });
});
