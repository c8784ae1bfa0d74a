import { eventually, sharedStack } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Body, Client, clientOf, expectRefusal, workspaceWithBoard } from '../workspace.ts';
import { logOf } from './log.ts';
import { openStream, readStream } from './stream.ts';

const stack = await sharedStack();

/** Follows as a user of the stack until the test ends. */
const following = async ({ token }: Client, { path, after }: { path?: string; after?: number } = {}) => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const asked = { baseUrl: stack.baseUrl, token, signal: stop.signal, lastEventId: after, ...(path && { path }) };
  const response = await openStream(asked);
  expect(response.status).toBe(200);
  const events: Body[] = [];
  let isOver = false;
  const done = readStream(response, (event) => void events.push(event))
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  return {
    events,
    done,
    isOver: () => isOver,
    stop: () => stop.abort(),
    /** What has come, once an event about something has. */
    until: ({ id }: Body) =>
      eventually(() => {
        expect(events.map(({ subject }) => subject.id)).toContain(id);
        return events.map(({ type, subject }) => [type, subject.id]);
      }),
  };
};

/** What an event shows of something that went out of sight. */
const nothingOf = ({ id }: Body) => ({ board_id: id, changed: [], previous: {}, data: null });

const told = (...pairs: [string, Body][]) => pairs.map(([type, { id }]) => [type, id]);

/** A user with a board and a colleague, both followers. */
const two = async () => {
  const { client, board, column } = await workspaceWithBoard(stack);
  const colleague = await clientOf(stack, { workspace: client.workspaceId });
  const label = (name: string) => client.data(client.post('/labels', { body: { name } }));
  const first = await label('first');
  // Its `MAIN` is made at the first look.
  await client.get('/workstreams');
  await logOf(client);
  return {
    client,
    colleague,
    board,
    column,
    label,
    first,
    streams: [await following(client), await following(colleague)] as const,
  };
};

describe('two users of a workspace', () => {
  it('each follow what they see of it', async () => {
    const { client, column, label, streams } = await two();
    const [own, other] = streams;
    const hidden = await client.data(client.post('/boards', { body: { name: 'Mine', visibility: 'private' } }));
    const inside = await client.data(client.post(`/boards/${hidden.id}/columns`, { body: { name: 'To do' } }));
    const secret = await client.createCard(inside.id, 'Secret');
    const card = await client.createCard(column.id, 'Seen');
    const last = await label('last');
    const mine = told(['board.created', hidden], ['column.created', inside], ['card.created', secret]);
    const ours = told(['card.created', card], ['label.created', last]);
    expect(await own.until(last)).toEqual([...mine, ...ours]);
    expect(await other.until(last)).toEqual(ours);
    // The numbers of hidden events are skipped.
    expect(own.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4].map((at) => own.events[0].seq + at));
    expect(other.events.map(({ seq }) => seq)).toEqual(own.events.slice(3).map(({ seq }) => seq));
  });

  it('lose sight of a board once it is private, see it as members, and lose it again with the membership', async () => {
    const { client, colleague, board, column, label, streams } = await two();
    const [own, other] = streams;
    const before = await client.createCard(column.id, 'before');
    await other.until(before);
    const hidden = await client.patch(`/boards/${board.id}`, {
      body: { visibility: 'private' },
      ifMatch: board.version,
    });
    expect(hidden.status).toBe(200);
    const unseen = await client.createCard(column.id, 'unseen');
    const between = await label('between');
    await other.until(between);
    await client.data(client.put(`/boards/${board.id}/members/${colleague.userId}`));
    const seen = await client.createCard(column.id, 'seen');
    await other.until(seen);
    expect((await client.delete(`/boards/${board.id}/members/${colleague.userId}`)).status).toBe(204);
    const after = await client.createCard(column.id, 'after');
    const last = await label('last');
    const came = (await other.until(last)).map(([, id]) => id);
    const { userId } = colleague;
    expect(came).toEqual([before.id, board.id, between.id, userId, seen.id, userId, last.id]);
    const departures = other.events.filter(({ type, data }) => type === 'board.updated' || (data === null && type));
    expect(departures).toMatchObject([
      { type: 'board.updated', ...nothingOf(board) },
      { type: 'member.removed', ...nothingOf(board) },
    ]);
    const all = (await own.until(last)).map(([, id]) => id);
    expect(all).toEqual(expect.arrayContaining([unseen.id, after.id]));
    // A repeated request shows no more of it.
    const again = await following(colleague, { after: 0 });
    expect((await again.until(last)).map(([, id]) => id)).not.toContain(seen.id);
  });

  it('see that a card moved to a hidden board, and nothing else of it', async () => {
    const { client, colleague, board, column, label, streams } = await two();
    const [own, other] = streams;
    const hidden = await client.data(client.post('/boards', { body: { name: 'Mine', visibility: 'private' } }));
    const inside = await client.data(client.post(`/boards/${hidden.id}/columns`, { body: { name: 'To do' } }));
    const card = await client.createCard(column.id, 'Goes');
    const moved = await client.data(
      client.post(`/cards/${card.id}/move`, { ifMatch: card.version, body: { column_id: inside.id } }),
    );
    await client.data(client.patch(`/cards/${card.id}`, { ifMatch: moved.version, body: { title: 'Unseen' } }));
    const last = await label('last');
    await other.until(last);
    const ofCard = other.events.filter(({ card: one }) => one?.id === card.id);
    const [, departure] = ofCard;
    expect(ofCard.map(({ type }) => type)).toEqual(['card.created', 'card.moved']);
    expect(departure).toMatchObject({
      ...nothingOf(board),
      subject: { type: 'card', id: card.id, version: null },
      card: { identifier: card.identifier },
    });
    for (const secret of [hidden.id, inside.id, 'Unseen']) expect(JSON.stringify(ofCard)).not.toContain(secret);
    const listed = await colleague.all(`/events?board_id=${board.id}&types=card.moved`);
    expect(listed).toEqual([departure]);
    expect((await colleague.get(`/events?board_id=${hidden.id}`)).body.data).toEqual([]);
    // A reader of both boards sees all of it.
    await own.until(last);
    expect(own.events.find(({ type }) => type === 'card.moved')).toMatchObject({ board_id: hidden.id, data: moved });
  });

  it('follow a card by its identifier, a board, or types', async () => {
    const { client, column, board, first, streams } = await two();
    const card = await client.createCard(column.id, 'Followed');
    // New events are those that no stream of the workspace has had.
    await streams[0].until(card);
    const ofCard = await following(client, { path: `/events/stream?card=${card.identifier.toLowerCase()}`, after: 0 });
    const ofBoard = await following(client, { path: `/events/stream?board_id=${board.id}&types=card.*` });
    const ofTypes = await following(client, { path: '/events/stream?types=label.*&types=comment.created', after: 0 });
    await client.createCard(column.id, 'Another');
    const comment = await client.data(client.post(`/cards/${card.id}/comments`, { body: { body: 'said' } }));
    const { version } = await client.card(card.id);
    await client.data(client.patch(`/cards/${card.id}`, { body: { title: 'New' }, ifMatch: version }));
    const came = await ofTypes.until(comment);
    expect([came[0], came.at(-1)]).toEqual(told(['label.created', first], ['comment.created', comment]));
    expect(new Set(came.map(([type]) => type))).toEqual(new Set(['label.created', 'comment.created']));
    await eventually(() =>
      expect(ofCard.events.map(({ type }) => type)).toEqual(['card.created', 'comment.created', 'card.updated']),
    );
    await eventually(() => expect(ofBoard.events.map(({ type }) => type)).toEqual(['card.created', 'card.updated']));
    const unknown = await client.get('/events/stream?card=NOPE-1');
    expectRefusal(unknown, 404, 'not_found');
  });
});

describe('a stream', () => {
  it('ends with its token', async () => {
    const { client } = await workspaceWithBoard(stack);
    const { workspaceId: workspace, userId: user } = client;
    // A busy machine may need longer than that to open one.
    const [brief, stream] = await eventually(async () => {
      const short = await stack.token({ workspace, user, expiresIn: 2 });
      const one = new Client(stack, workspace, user, short);
      return [one, await following(one)] as const;
    });
    await stream.done;
    expectRefusal(await brief.get('/events/stream'), 401, 'unauthenticated');
  });

  it('is refused where its user has twenty, until one of them has ended', async () => {
    const { client } = await workspaceWithBoard(stack);
    const streams = await Promise.all(Array.from({ length: 20 }, () => following(client)));
    const refused = await client.get('/events/stream');
    expectRefusal(refused, 429, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const colleague = await clientOf(stack, { workspace: client.workspaceId });
    await following(colleague);
    streams[0]?.stop();
    await eventually(() => following(client));
  });
});
