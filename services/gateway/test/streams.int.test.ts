import { apiKeysEnded, getCard, newKeyText, notFound, unavailable, verifyApiKeys } from '@cardinal/contracts';
import { eventually, testBus } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { afterEach, describe, expect, it } from 'vitest';
import { type Follower, startStreams } from './follower.ts';
import type { Log } from './log.ts';
import { aCard } from './resources.ts';

const { gateway, log, open, refusal, closeAll } = await startStreams({ CORS_ORIGINS: 'https://app.example.com' });
/** The whole log is of one workspace; each test follows what comes after its beginning. */
let begin: number;

describe('a stream of events', () => {
  afterEach(() => {
    closeAll();
    log.members.clear();
    log.fail(undefined);
  });
  const note = (...noted: Parameters<Log['note']>[0]) => log.note(noted);
  const count = (many: number) => Array.from({ length: many }, () => ({}));

  it('begins with new events, sends its position first, and has each event as id, type and one line of data', async () => {
    begin = note({}, {});
    const follower = await open();
    expect(follower.status).toBe(200);
    expect(follower.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
      'ratelimit-remaining': '1999',
    });
    await eventually(() => expect(follower.blocks).toEqual([{ retry: '1000', '': String(begin), id: String(begin) }]));
    note({ type: 'card.created', text: `{"seq":${begin + 1},\n "labels":[1, \n 2]}` });
    await follower.until(1);
    expect(follower.blocks.at(-1)).toEqual({
      id: String(begin + 1),
      event: 'card.created',
      data: `{"seq":${begin + 1},  "labels":[1,   2]}`,
    });
  });

  it('continues after a number, or after that of Last-Event-ID, which takes precedence', async () => {
    begin = note(...count(450));
    const from = begin - 450;
    const [byQuery, byHeader] = [
      await open({ query: `?after=${from}` }),
      await open({ query: `?after=${from}`, headers: { 'last-event-id': String(begin - 2) } }),
    ];
    await byQuery.until(450);
    await byHeader.until(2);
    note({});
    await byQuery.until(451);
    await byHeader.until(3);
    expect(byQuery.seqs()).toEqual(Array.from({ length: 451 }, (_, at) => from + 1 + at));
    expect(byHeader.seqs()).toEqual([begin - 1, begin, begin + 1]);
  });

  it.each([
    [{ query: '?after=-1' }],
    [{ query: '?after=1.5' }],
    [{ query: '?after=now' }],
    [{ query: '?after=1&after=2' }],
    [{ query: '?types=card.burnt' }],
    [{ headers: { 'last-event-id': 'now' } }],
    [{ headers: { 'last-event-id': '' } }],
    [{ headers: { 'last-event-id': '01' } }],
  ])('does not begin where that is no number: %j', async (asked) => {
    expect(await refusal(asked)).toMatchObject({ status: 400, error: { code: 'invalid_request' } });
  });

  it('accepts a future number, sends events after it, and delays nobody else', async () => {
    begin = note({});
    const ahead = await open({ query: `?after=${begin + 2}` });
    const here = await open({ query: `?after=${begin}` });
    note(...count(3));
    await Promise.all([ahead.until(1), here.until(3)]);
    expect(ahead.seqs()).toEqual([begin + 3]);
  });

  it('has the events of its filters, and every feed.reset', async () => {
    const [board, other, card] = [v7(), v7(), aCard()];
    gateway.serve(getCard, ({ card_id }) => {
      if (card_id === card.id) return card;
      throw notFound('Card');
    });
    const [byType, byBoard, byCard] = [
      await open({ query: '?types=board.*&types=card.moved' }),
      await open({ query: `?board_id=${board}&board_id=${v7()}` }),
      await open({ query: `?card=${card.id}` }),
    ];
    begin = note({ type: 'board.created', board_id: other }) - 1;
    note({ type: 'card.moved', board_id: other, other_board_id: board });
    note({ type: 'comment.created', board_id: board, card_id: card.id });
    note({ type: 'feed.reset' });
    const seqs = (...at: number[]) => at.map((one) => begin + one);
    for (const follower of [byType, byBoard, byCard])
      await eventually(() => expect(follower.seqs()).toContain(begin + 4));
    expect(byType.seqs()).toEqual(seqs(1, 2, 4));
    expect(byBoard.seqs()).toEqual(seqs(2, 3, 4));
    expect(byCard.seqs()).toEqual(seqs(3, 4));
    const late = await open({ query: `?card=${card.id}&after=${begin}` });
    await late.until(2);
    expect(late.seqs()).toEqual(seqs(3, 4));
    expect(await refusal({ query: `?card=${v7()}` })).toMatchObject({ status: 404, error: { code: 'not_found' } });
  });

  it('has what the follower sees, and stops at once where they do not see it any more', async () => {
    const [board, other, anna, boris] = [v7(), v7(), v7(), v7()];
    log.members.set(board, new Set([anna, boris])).set(other, new Set([anna]));
    const [of, to] = [await open({ user: anna }), await open({ user: boris })];
    begin = note({ board_id: board }, { board_id: other }) - 2;
    note({ type: 'card.moved', board_id: board, other_board_id: other, previous: { board_id: other, title: 'a' } });
    note({ type: 'dependency.added', board_id: board, other_board_id: other });
    await of.until(4);
    await to.until(2);
    log.members.set(board, new Set([anna]));
    note({ board_id: board }, {});
    await of.until(6);
    await to.until(3);
    log.members.set(board, new Set([anna, boris]));
    note({ board_id: board });
    await to.until(4);
    expect(to.seqs()).toEqual([1, 3, 6, 7].map((at) => begin + at));
    expect(to.events()[1].previous).toEqual({ title: 'a' });
    expect(of.seqs()).toEqual([1, 2, 3, 4, 5, 6, 7].map((at) => begin + at));
    expect(of.events()[2].previous).toEqual({ board_id: other, title: 'a' });
  });

  it('is of its workspace alone', async () => {
    const follower = await open();
    log.note([{}], { workspace: v7() });
    begin = note({});
    await follower.until(1);
    expect(follower.seqs()).toEqual([begin]);
  });

  it('has new events within a second or two without a signal', async () => {
    const follower = await open();
    begin = log.note([{}], { isHeard: false });
    await follower.until(1);
    expect(follower.seqs()).toEqual([begin]);
  });

  it('shares one read of the log and of visibility with all streams that have caught up', async () => {
    const followers = await Promise.all(Array.from({ length: 40 }, () => open()));
    const before = { ...log.asked };
    const board_id = v7();
    for (let n = 0; n < 10; n += 1) note({ board_id });
    await Promise.all(followers.map((follower) => follower.until(10)));
    expect(log.asked.seeBoards - before.seeBoards).toBeLessThanOrEqual(11);
    // Those of every second besides.
    expect(log.asked.readLog - before.readLog).toBeLessThan(40);
  });

  it('loses and repeats nothing while followers join at any position and events come', async () => {
    const from = note({});
    let [going, last] = [true, from];
    const writing = (async () => {
      while (going) {
        last = note(...count(1 + Math.floor(Math.random() * 50)));
        await new Promise((resolve) => setImmediate(resolve));
        if (last - from > 5_000) going = false;
      }
    })();
    const followers: [number, Follower][] = [];
    for (let n = 0; n < 15; n += 1) {
      const after = from + Math.floor(Math.random() * (last - from + 1));
      followers.push([after, await open({ query: `?after=${after}` })]);
    }
    await writing;
    for (const [after, follower] of followers) {
      await follower.until(last - after);
      expect(follower.seqs()).toEqual(Array.from({ length: last - after }, (_, at) => after + 1 + at));
    }
  });

  it('is 410 with the oldest that is kept, before it begins or as its last event', async () => {
    begin = note(...count(3));
    log.keepFrom(begin);
    const { status, error } = await refusal({ query: '?after=0' });
    expect({ status, error }).toMatchObject({ status: 410, error: { code: 'gone', details: { oldest: begin } } });
    const follower = await open();
    log.keepFrom(begin + 10);
    await eventually(() => expect(follower.ended()).toBe('whole'));
    const last = follower.blocks.at(-1);
    expect(last).toMatchObject({ event: 'gone' });
    expect(last).not.toHaveProperty('id');
    expect(JSON.parse(last?.data ?? '')).toMatchObject({ error: { code: 'gone', details: { oldest: begin + 10 } } });
    log.keepFrom(1);
  });

  it('is 503 where the log is out of reach, and once it has begun waits for it', async () => {
    const follower = await open();
    log.fail(unavailable('away'));
    const refused = await refusal({ query: '?after=0' });
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, error: { code: 'unavailable' } });
    begin = note({});
    await eventually(() => expect(gateway.log()).toContain('streams could not go on'));
    expect(follower.seqs()).toEqual([]);
    log.fail(undefined);
    await follower.until(1);
    expect(follower.seqs()).toEqual([begin]);
  });

  it('ends with its token, and shows nothing after that', async () => {
    const follower = await open({ expiresIn: 1 });
    await eventually(() => expect(follower.ended()).toBe('whole'));
    note({});
    expect(follower.seqs()).toEqual([]);
  });

  it('goes on after the deadline of its request when its API key is verified again', async () => {
    const requestTimeoutMs = 2_000;
    const streams = await startStreams({ REQUEST_TIMEOUT_MS: String(requestTimeoutMs) });
    const { workspace_id, user_id } = streams.gateway.caller;
    const key = { id: v7(), user_id, name: 'Follower', scope: 'kanban:read' as const, expires_at: null };
    let verifications = 0;
    streams.gateway.serve(verifyApiKeys, ({ texts }) => {
      verifications += 1;
      return { keys: texts.map(() => key) };
    });
    const follower = await streams.open({ token: newKeyText(workspace_id) });
    const opened = Date.now();
    const access = await testBus(streams.gateway.nats.url, 'access');
    await eventually(() => expect(Date.now()).toBeGreaterThan(opened + requestTimeoutMs));
    // The gateway forgets the key and asks for it again, as it does in any case after a while.
    access.signal(apiKeysEnded, { keys: [{ workspace_id, id: key.id }] });
    await eventually(() => expect(verifications).toBe(2));
    streams.log.note([{}]);
    await eventually(() => expect(follower.ended() ?? follower.seqs()).not.toEqual([]));
    expect(follower.seqs()).toEqual([1]);
  });

  it('answers HEAD with its headers, and pages of other origins', async () => {
    const head = await open({ method: 'HEAD', headers: { origin: 'https://app.example.com' } });
    expect(head.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'access-control-allow-origin': 'https://app.example.com',
    });
    await eventually(() => expect(head.ended()).toBe('whole'));
    expect([head.blocks, head.rest()]).toEqual([[], '']);
    const preflight = await gateway.call({
      method: 'OPTIONS',
      path: '/events/stream',
      token: false,
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization, last-event-id',
      },
    });
    expect(preflight.headers['access-control-allow-headers']).toContain('last-event-id');
  });

  it('counts as one request, and holds none of the bytes under way', async () => {
    const user = v7();
    const follower = await open({ user });
    note(...count(100).map(() => ({ text: `{"long":"${'x'.repeat(5_000)}"}` })));
    await follower.until(100);
    const token = await gateway.tokenFor({ user });
    const { headers } = await gateway.call({ path: '/me', token });
    expect(headers['ratelimit-remaining']).toBe('1998');
  });
});
