import { describe, expect, it, onTestFinished } from 'vitest';
import { failureOf, listen, type Script, serve, talkTo } from '../test/serve.ts';
import { type Attempt, type CardinalClient, CardinalError, createClient } from './index.ts';

const quick = { baseMs: 1, capMs: 2 };
const card = { id: '0190a000-0000-7000-8000-000000000001', version: 3, title: 'A card' };
const error = (code: string, more: object = {}) => ({ error: { code, message: 'No.', request_id: 'r-1', ...more } });
const unavailable = { status: 503, body: error('unavailable'), headers: { 'retry-after': '0' } };

describe('a call', () => {
  it('carries token, body, version and a key of its own', async () => {
    const { client, seen } = await talkTo(() => ({ status: 201, body: { data: card } }));
    expect(await client.cards.create('c1', { title: 'A card' })).toEqual(card);
    await client.cards.transfer(card, { workstream_id: 'w1' });
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/api/kanban/v1/columns/c1/cards',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
      body: '{"title":"A card"}',
    });
    expect(seen[1]).toMatchObject({
      url: `/api/kanban/v1/cards/${card.id}/workstream`,
      headers: { 'if-match': '"3"' },
    });
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
    expect(keys.every((key) => typeof key === 'string' && key.length >= 16)).toBe(true);
  });

  it('sends no body and no content type where the API takes none', async () => {
    const { client, seen } = await talkTo(() => ({ status: 200, body: { data: card } }));
    await client.cards.archive(card);
    expect(seen[0]?.body).toBe('');
    expect(seen[0]?.headers).not.toHaveProperty('content-type');
  });

  it('takes a base URL with the API path, and fetches the token for each call', async () => {
    const { url, seen } = await serve((_, n) => (n === 1 ? unavailable : { status: 200, body: { data: card } }));
    let n = 0;
    const client = createClient({ baseUrl: `${url}/api/kanban/v1/`, token: () => `t${++n}`, retry: quick });
    await client.cards.get(card.id);
    expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      [`/api/kanban/v1/cards/${card.id}`, 'Bearer t1'],
      [`/api/kanban/v1/cards/${card.id}`, 'Bearer t2'],
    ]);
  });

  it('returns nothing for a 204', async () => {
    const { client, seen } = await talkTo(() => ({ status: 204 }));
    expect(await client.cards.delete(card)).toBeUndefined();
    expect(seen[0]).toMatchObject({ method: 'DELETE', headers: { 'if-match': '"3"' } });
    expect(seen[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('reports whether the answer is a replay', async () => {
    const { client } = await talkTo(() => ({
      status: 201,
      body: { data: card },
      headers: { 'idempotent-replayed': 'true' },
    }));
    const replies: unknown[] = [];
    await client.cards.create('c1', { title: 'x' }, { onReply: (reply) => replies.push(reply) });
    expect(replies).toEqual([{ status: 201, requestId: 'request-1', replayed: true }]);
  });

  it('cannot be led to another address by an id', async () => {
    const { client, seen } = await talkTo(() => ({ status: 404, body: error('not_found') }));
    await failureOf(client.cards.get('../boards?x=/'));
    expect(seen[0]?.url).toBe('/api/kanban/v1/cards/..%2Fboards%3Fx%3D%2F');
    for (const id of ['', '.', '..']) expect(() => client.cards.delete({ id, version: 1 })).toThrow(TypeError);
    expect(seen).toHaveLength(1);
  });

  it('refuses a key or a token that no header can have, without repeating its value', async () => {
    const { client, url, seen } = await talkTo(() => ({ status: 201, body: { data: card } }));
    const wrongKey = client.cards.create('c1', { title: 'x' }, { idempotencyKey: 'a\nb' });
    expect(await failureOf(wrongKey)).toEqual(
      new TypeError('the header idempotency-key has a value that no header can have'),
    );
    const wrongToken = await failureOf(createClient({ baseUrl: url, token: 'se\ncret' }).me.get());
    expect(wrongToken).toBeInstanceOf(TypeError);
    expect(String(wrongToken)).not.toContain('cret');
    expect(seen).toEqual([]);
  });
});

describe('the options of a call', () => {
  it('add headers to those of the client, and bound the time of this call', async () => {
    const { url, seen } = await serve(() => ({ status: 200, body: { data: card } }));
    const client = createClient({ baseUrl: url, token: 't', headers: { 'x-app': 'shop', 'x-part': 'cart' } });
    await client.cards.get(card.id, { headers: { 'x-part': 'till', authorization: 'none' } });
    expect(seen[0]?.headers).toMatchObject({ 'x-app': 'shop', 'x-part': 'till', authorization: 'Bearer t' });
    const { url: silent } = await listen(() => {});
    const late = createClient({ baseUrl: silent, token: 't', retry: { attempts: 1 } }).cards.get(card.id, {
      timeoutMs: 5,
    });
    expect(await failureOf(late)).toMatchObject({ code: 'timed_out', details: { reason: 'no answer in time' } });
  });

  it('leave failures of the token and of hooks as they are', async () => {
    const { url, seen } = await serve(() => ({ status: 200, body: { data: card } }));
    const fail = () => {
      throw new Error('mine');
    };
    const tokenless = createClient({ baseUrl: url, token: fail });
    expect(await failureOf(tokenless.cards.get(card.id))).toMatchObject({ name: 'Error', message: 'mine' });
    expect(seen).toHaveLength(0);
    const hooked = createClient({ baseUrl: url, token: 't', onAttempt: fail });
    expect(await failureOf(hooked.cards.get(card.id))).toMatchObject({ name: 'Error', message: 'mine' });
    expect(seen).toHaveLength(1);
  });

  it('calls the fetch of the platform as a function, not as a method', async () => {
    const { url } = await serve(() => ({ status: 200, body: { data: card } }));
    const real = globalThis.fetch;
    onTestFinished(() => {
      globalThis.fetch = real;
    });
    // As browsers do: "Illegal invocation".
    globalThis.fetch = function (this: unknown, ...args) {
      if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation');
      return real(...args);
    };
    expect(await createClient({ baseUrl: url, token: 't' }).cards.get(card.id)).toEqual(card);
  });
});

describe('the hook of a client', () => {
  it('sees every sending', async () => {
    const script: Script = (_, n) =>
      n === 1 ? unavailable : n === 2 ? 'hang up' : { status: 200, body: { data: [], page: { next_cursor: null } } };
    const { url } = await serve(script);
    const attempts: Attempt[] = [];
    const client = createClient({ baseUrl: url, token: 't', retry: quick, onAttempt: (each) => attempts.push(each) });
    await client.cards.list('b1', { q: 'secret' }).all();
    const same = {
      operation: 'listCards',
      method: 'GET',
      url: `${url}/api/kanban/v1/boards/b1/cards`,
      durationMs: expect.any(Number),
    };
    expect(attempts).toEqual([
      {
        ...same,
        attempt: 1,
        status: 503,
        requestId: 'request-1',
        error: expect.objectContaining({ code: 'unavailable' }),
      },
      {
        ...same,
        attempt: 2,
        status: undefined,
        requestId: undefined,
        error: expect.objectContaining({ code: 'connection_failed' }),
      },
      { ...same, attempt: 3, status: 200, requestId: 'request-3', error: undefined },
    ]);
  });

  it('sees when the API key ends, where an answer says it', async () => {
    const end = '2030-01-31T17:00:00.000Z';
    const { url } = await serve(() => ({
      status: 200,
      headers: { 'cardinal-key-expires': end },
      body: { data: [], page: { next_cursor: null } },
    }));
    const ends: (string | undefined)[] = [];
    const onAttempt = ({ keyExpiresAt }: Attempt) => ends.push(keyExpiresAt);
    await createClient({ baseUrl: url, token: 't', onAttempt }).boards.list().all();
    expect(ends).toEqual([end]);
  });
});

describe('an error', () => {
  it('of a newer service keeps its code and details', async () => {
    const { client } = await talkTo(() => ({ status: 409, body: error('too_early', { details: { until: 'noon' } }) }));
    expect(await failureOf(client.cards.get(card.id))).toMatchObject({
      status: 409,
      code: 'unknown_code',
      details: { code: 'too_early', details: { until: 'noon' } },
    });
  });

  it('has status, code, request id and details', async () => {
    const { client } = await talkTo(() => ({
      status: 412,
      body: error('precondition_failed', { details: { current_version: 9 } }),
    }));
    const failure = await failureOf(client.cards.update(card, { title: 'x' }));
    expect(failure).toBeInstanceOf(CardinalError);
    expect(failure).toMatchObject({
      status: 412,
      code: 'precondition_failed',
      requestId: 'r-1',
      details: { current_version: 9 },
      attempts: 1,
    });
  });

  it.each([
    [200, '<html>Sign in</html>'],
    [404, '<html>Sign in</html>'],
    [200, []],
    [200, { status: 'UP' }],
  ])('says so when %i comes from something that is not Cardinal', async (status, body) => {
    const { client } = await talkTo(() => ({ status, body }));
    expect(await failureOf(client.cards.get(card.id))).toMatchObject({ status, code: 'unexpected_response' });
  });
});

describe('a failed request', () => {
  it('is sent again under the same key, after a temporary refusal and after a lost answer', async () => {
    const { client, seen } = await talkTo((_, n) => {
      if (n === 1) return unavailable;
      if (n === 2) return { ...unavailable, status: 429, body: error('rate_limited') };
      return n === 3 ? 'hang up' : { status: 201, body: { data: card } };
    });
    expect(await client.cards.create('c1', { title: 'x' }, { idempotencyKey: 'mine' })).toEqual(card);
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine', 'mine', 'mine']);
  });

  it('keeps the key that was made for it', async () => {
    const { client, seen } = await talkTo((_, n) => (n < 3 ? 'hang up' : { status: 201, body: { data: card } }));
    for (let n = 0; n < 2; n += 1) await client.cards.create('c1', { title: 'x' });
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect([new Set(keys.slice(0, 3)).size, new Set(keys).size]).toEqual([1, 2]);
  });

  it('is not repeated where it has no key and may have been carried out', async () => {
    const { client, seen } = await talkTo(() => 'hang up');
    const failure = await failureOf(client.cards.update(card, { title: 'x' }));
    expect(failure).toMatchObject({ code: 'connection_failed', details: { neverSent: false }, attempts: 1 });
    expect(seen).toHaveLength(1);
  });

  it('is sent again where it sets a state, which repeating does not change', async () => {
    const { client, seen } = await talkTo((_, n) => (n % 2 ? 'hang up' : { status: 200, body: { data: card } }));
    expect(await client.cards.addAssignee(card.id, 'u1')).toEqual(card);
    await client.cards.removeDependency(card.id, 'c2');
    expect(seen.map(({ method, url }) => [method, url])).toEqual([
      ['PUT', `/api/kanban/v1/cards/${card.id}/assignees/u1`],
      ['PUT', `/api/kanban/v1/cards/${card.id}/assignees/u1`],
      ['DELETE', `/api/kanban/v1/cards/${card.id}/dependencies/c2`],
      ['DELETE', `/api/kanban/v1/cards/${card.id}/dependencies/c2`],
    ]);
    for (const { headers, body } of seen) {
      expect(body).toBe('');
      for (const name of ['idempotency-key', 'if-match', 'content-type']) expect(headers).not.toHaveProperty(name);
    }
  });

  it.each([
    ['label', (client: CardinalClient) => client.labels.delete(card)],
    ['comment', (client: CardinalClient) => client.comments.update(card, { body: 'x' })],
    ['subtask', (client: CardinalClient) => client.subtasks.update(card, { completed: true })],
  ])('is not repeated where it may have changed the version of a %s', async (_, write) => {
    const { client, seen } = await talkTo(() => 'hang up');
    expect(await failureOf(write(client))).toMatchObject({ details: { neverSent: false }, attempts: 1 });
    expect(seen[0]?.headers['if-match']).toBe('"3"');
  });

  it('gives up after the last attempt', async () => {
    const { client, seen } = await talkTo(() => unavailable);
    expect(await failureOf(client.cards.get(card.id))).toMatchObject({ code: 'unavailable', attempts: 5 });
    expect(seen).toHaveLength(5);
  });

  it('reports that nobody listens', async () => {
    const { url, close } = await serve(() => unavailable);
    await close();
    const nobody = createClient({ baseUrl: url, token: 't', retry: quick });
    expect(await failureOf(nobody.cards.update(card, { title: 'x' }))).toMatchObject({
      details: { neverSent: true, reason: 'ECONNREFUSED' },
      attempts: 5,
    });
  });

  it('ends at once when it is aborted', async () => {
    const stop = new AbortController();
    const { client, seen } = await talkTo(() => {
      stop.abort(new Error('enough'));
      return { ...unavailable, headers: { 'retry-after': '30' } };
    });
    expect(await failureOf(client.cards.get(card.id, { signal: stop.signal }))).toMatchObject({ message: 'enough' });
    expect(seen).toHaveLength(1);
  });

  it('counts as lost when no answer comes in time, and is not sent again for as short a time', async () => {
    const { url } = await serve(() => unavailable);
    const never: typeof fetch = (_, init) =>
      new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    const client = createClient({ baseUrl: url, token: 't', retry: quick, timeoutMs: 5, fetch: never });
    expect(await failureOf(client.cards.get(card.id))).toMatchObject({ code: 'timed_out', attempts: 1 });
  });
});
