import { declaredOperations, getBoard, getCard, listCards, searchCards } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startGateway } from './gateway.ts';
import { sendRaw } from './http.ts';
import { aCard } from './resources.ts';

const card = aCard();
const gateway = await startGateway();
gateway.serve(getCard, () => card);

const refusal = (status: number, code: string) => ({ status, json: { error: { code, message: expect.any(String) } } });

describe('unknown paths', () => {
  it.each(['/nowhere', '', '/', '//boards', '/card', `/columns/${v7()}/cards/x`])(
    '%j of the API: 401 without a token, 404 with one',
    async (path) => {
      expect(await gateway.call({ path, token: false })).toMatchObject(refusal(401, 'unauthenticated'));
      expect(await gateway.call({ path })).toMatchObject(refusal(404, 'not_found'));
    },
  );

  it.each(['/nowhere', '/api', '/api/kanban/v2/boards', '/api/kanban/v1x'])('%s of the root: 404', async (path) => {
    const answer = await gateway.root({ path });
    expect(answer).toMatchObject(refusal(404, 'not_found'));
    expect(answer.json.error.request_id).toBe(answer.headers['x-request-id']);
  });

  it('is 404 whatever body comes along', async () => {
    for (const type of ['text/plain', 'application/json', 'nonsense']) {
      const sent = { method: 'POST', path: '/nowhere', headers: { 'content-type': type }, body: '{' };
      expect(await gateway.call(sent)).toMatchObject(refusal(404, 'not_found'));
    }
  });
});

describe('known paths with another method', () => {
  it.each([
    ['PUT', `/cards/${v7()}`, 'DELETE, GET, HEAD, PATCH'],
    ['OPTIONS', '/boards', 'GET, HEAD, POST'],
    ['POST', `/columns/${v7()}`, 'GET, HEAD, PATCH'],
    ['DELETE', `/workstreams/${v7()}`, 'GET, HEAD, PATCH'],
    ['GET', `/cards/${v7()}/move`, 'POST'],
    ['PURGE', '/workstreams', 'GET, HEAD, POST'],
  ])('%s %s: 401 without a token, 405 with Allow: %s', async (method, path, allow) => {
    expect(await gateway.call({ method, path, token: false })).toMatchObject(refusal(401, 'unauthenticated'));
    const answer = await gateway.call({ method, path });
    expect(answer).toMatchObject(refusal(405, 'method_not_allowed'));
    expect(answer.headers.allow).toBe(allow);
  });

  const methodsOf = new Map<string, Set<string>>();
  for (const { method, path } of declaredOperations.map(({ http }) => http)) {
    const methods = methodsOf.get(path) ?? new Set(['OPTIONS']);
    methodsOf.set(path, methods.add(method));
    if (method === 'GET') methods.add('HEAD');
  }
  /** Words that stand in a path where another one has a parameter are values of it as well. */
  const words = new Set(
    [...methodsOf.keys()].flatMap((path) => path.split('/').filter((part) => part && !part.startsWith(':'))),
  );

  it.each([...methodsOf])('%s has its own methods and no others', async (path, methods) => {
    const values = path.includes('by-identifier') ? words : [v7()];
    const allow = [...methods].filter((one) => one !== 'OPTIONS').sort();
    for (const value of values) {
      const named = path.replace(/:\w+/g, value);
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PURGE']) {
        if (methods.has(method)) continue;
        const answer = await gateway.call({ method, path: named });
        expect(answer, `${method} ${named}`).toMatchObject({ status: 405, headers: { allow: allow.join(', ') } });
      }
    }
  });

  it('also those whose fixed word could be an id, which is no path by itself', async () => {
    const path = '/cards/by-identifier';
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      expect(await gateway.call({ method, path })).toMatchObject({ status: 404 });
    expect(await gateway.call({ path: '/cards/bulk' })).toMatchObject({
      ...refusal(405, 'method_not_allowed'),
      headers: { allow: 'POST' },
    });
  });

  it('also at the root', async () => {
    const answer = await gateway.root({ method: 'POST', path: '/healthz' });
    expect(answer).toMatchObject({ ...refusal(405, 'method_not_allowed'), headers: { allow: 'GET, HEAD' } });
  });
});

describe('HEAD', () => {
  it('answers as GET does, without the body', async () => {
    const path = `/cards/${card.id}`;
    const got = await gateway.call({ path });
    const answer = await gateway.call({ method: 'HEAD', path });
    expect(answer).toMatchObject({ status: 200, text: '' });
    for (const name of ['etag', 'content-type', 'content-length']) expect(answer.headers[name]).toBe(got.headers[name]);
  });

  it('is refused as GET is', async () => {
    expect(await gateway.call({ method: 'HEAD', path: '/boards', token: false })).toMatchObject({
      status: 401,
      text: '',
    });
    expect(await gateway.call({ method: 'HEAD', path: '/nowhere' })).toMatchObject({ status: 404, text: '' });
  });
});

describe('path and query', () => {
  it.each([
    '/cards/42',
    `/cards/${v7()}0`,
    `/cards/${'f'.repeat(300)}`,
    '/cards/%20',
    '/boards/',
    '/boards/no-uuid/cards',
    `/cards/${v7()}?fields=title`,
    `/boards/${v7()}/cards?color=red`,
    `/boards/${v7()}/cards?limit=0`,
    `/boards/${v7()}/cards?limit=101`,
    `/boards/${v7()}/cards?limit=ten`,
    `/boards/${v7()}/cards?limit=1.5`,
    `/boards/${v7()}/cards?limit=1&limit=2`,
    `/boards/${v7()}/cards?cursor=`,
    `/boards/${v7()}/cards?cursor=a.b`,
    `/boards/${v7()}/cards?cursor=${'a'.repeat(1025)}`,
    `/boards/${v7()}/cards?archived=TRUE`,
    `/boards/${v7()}/cards?archived=true&archived=true`,
    `/boards/${v7()}/cards?column_id=7`,
    `/boards/${v7()}/cards?priority=high`,
    `/boards/${v7()}/cards?priority=urgent&priority=high`,
    `/boards/${v7()}/cards?column_id=none`,
    `/boards/${v7()}/cards?board_id=${v7()}`,
    '/cards?assignee_user_id=you',
    '/cards?sort=title',
    `/cards?${`label_id=${v7()}&`.repeat(101)}`,
    `/boards/${v7()}/cards?due_before=tomorrow`,
    `/boards/${v7()}/cards?__proto__=1`,
    `/boards/${v7()}/cards?q=${encodeURIComponent('a\0b')}`,
    ...['%ED%A0%80', '%FF', '%zz', '50%'].map((text) => `/boards/${v7()}/cards?q=${text}`),
    '/boards?completed=true',
    '/workstreams?q=a',
  ])('%s is 400', async (path) => {
    expect(await gateway.call({ path })).toMatchObject(refusal(400, 'invalid_request'));
  });

  it.each(['/cards/%zz', '/cards/%', '/%c3%28'])('%s is 400, and 401 without a token', async (path) => {
    const answer = await gateway.call({ path });
    expect(answer).toMatchObject(refusal(400, 'invalid_request'));
    expect(answer.json.error.request_id).toBe(answer.headers['x-request-id']);
    expect(await gateway.call({ path, token: false })).toMatchObject(refusal(401, 'unauthenticated'));
    expect(await gateway.root({ path })).toMatchObject(refusal(400, 'invalid_request'));
  });

  it('takes no parameter of a query twice, and says so', async () => {
    const id = v7();
    const { status, json } = await gateway.call({
      path: `/boards/${id}/cards?priority=urgent&completed=true&completed=true&q=a&q=b`,
    });
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { error: { code: 'invalid_request', message: 'completed: must be given once; q: must be given once' } },
    });
  });

  it('takes ids in any letter case and keeps them in lower case', async () => {
    let seen: unknown;
    gateway.serve(getBoard, ({ board_id }) => {
      seen = board_id;
      throw new Error('enough');
    });
    const id = v7();
    await gateway.call({ path: `/boards/${id.toUpperCase()}` });
    expect(seen).toBe(id);
  });

  it('hands a filter that is given several times to the owner as a list, in which each value stands once', async () => {
    const seen: unknown[] = [];
    const served = ({ filters }: { filters: unknown }) => {
      seen.push(filters);
      return { items: [], next_cursor: null };
    };
    gateway.serve(listCards, served);
    gateway.serve(searchCards, served);
    const ids = [v7(), v7()].sort();
    const query = `priority=urgent&priority=none&label_id=${ids[1]}&label_id=${ids[0]}&label_id=${ids[1]}`;
    const user = 'assignee_user_id=me&assignee_user_id=me';
    for (const path of [`/boards/${v7()}/cards?${query}&${user}`, `/cards?${query}&board_id=${ids[0]}&sort=due`]) {
      expect(await gateway.call({ path })).toMatchObject({ status: 200, json: { data: [] } });
    }
    const filters = { priority: ['none', 'urgent'], label_id: ids, archived: false };
    expect(seen).toEqual([
      { ...filters, assignee_user_id: 'me' },
      { ...filters, board_id: ids[0], sort: 'due' },
    ]);
  });

  it('hands every filter of a card list to the owner', async () => {
    const [board, column, assignee, label, workstream] = [v7(), v7(), v7(), v7(), v7()];
    let seen: unknown;
    gateway.serve(listCards, (request) => {
      seen = request;
      return { items: [card], next_cursor: 'next' };
    });
    const query = new URLSearchParams({
      column_id: column,
      assignee_user_id: assignee,
      label_id: label,
      workstream_id: workstream,
      priority: 'urgent',
      archived: 'true',
      completed: 'false',
      blocked: 'true',
      due_before: '2030-01-01T01:00:00+01:00',
      due_after: '2029-01-01T00:00:00Z',
      q: ' 50 % & more ',
      limit: '7',
      cursor: 'here',
    });
    const answer = await gateway.call({ path: `/boards/${board}/cards?${query}` });
    expect(answer.json).toEqual({ data: [card], page: { next_cursor: 'next', has_more: true } });
    expect(answer.headers).not.toHaveProperty('etag');
    expect(seen).toEqual({
      ...gateway.caller,
      board_id: board,
      page: { limit: 7, cursor: 'here' },
      filters: {
        column_id: column,
        assignee_user_id: assignee,
        label_id: label,
        workstream_id: workstream,
        priority: 'urgent',
        archived: true,
        completed: false,
        blocked: true,
        due_before: '2030-01-01T00:00:00.000Z',
        due_after: '2029-01-01T00:00:00.000Z',
        q: ' 50 % & more ',
      },
    });
  });

  it('lists the active cards by default, fifty a page', async () => {
    let seen: unknown;
    gateway.serve(listCards, ({ filters, page }) => {
      seen = { filters, page };
      return { items: [], next_cursor: null };
    });
    const answer = await gateway.call({ path: `/boards/${v7()}/cards` });
    expect(answer.json).toEqual({ data: [], page: { next_cursor: null, has_more: false } });
    expect(seen).toEqual({ filters: { archived: false }, page: { limit: 50 } });
  });
});

describe('what is no HTTP request', () => {
  it.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['an endless URL', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['a header with NUL', 'GET / HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ])('%s: 400 in our shape, and the connection ends', async (_, bytes) => {
    const [head = '', body = ''] = (await sendRaw(gateway.port, bytes)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const id = /x-request-id: (\S+)/.exec(head)?.[1];
    expect(JSON.parse(body)).toEqual({
      error: { code: 'invalid_request', message: expect.any(String), request_id: id },
    });
  });
});
