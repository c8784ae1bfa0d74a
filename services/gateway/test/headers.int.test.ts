import {
  archiveCard,
  createBoard,
  getCard,
  getCardByIdentifier,
  notFound,
  patchCard,
  requireVersion,
} from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandIdOf } from '../src/idempotency.ts';
import { startGateway } from './gateway.ts';
import { aBoard, aCard } from './resources.ts';

const gateway = await startGateway();

const card = aCard();
const cardPath = `/cards/${card.id}`;
const json = { 'content-type': 'application/json' };

describe('If-Match', () => {
  const patch = (ifMatch: string | string[] | undefined, body: string | undefined = '{"title":"a"}') =>
    gateway.call({
      method: 'PATCH',
      path: cardPath,
      headers: { ...json, 'if-match': ifMatch },
      ...(body ? { body } : {}),
    });

  it.each<[string | string[], number[]]>([
    ['"3"', [3]],
    ['"3", "5"', [3, 5]],
    [
      ['"3"', '"5"'],
      [3, 5],
    ],
    ['W/"3"', []],
    ['"0"', []],
    ['"three"', []],
    ['"3-gzip"', []],
  ])('%j reaches the owner as %j', async (header, versions) => {
    let seen: unknown;
    gateway.serve(patchCard, ({ if_match }) => {
      seen = if_match;
      return { resource: card, replayed: false };
    });
    const answer = await patch(header);
    expect(answer.status).toBe(200);
    expect(seen).toEqual(versions);
    expect(answer.headers.etag).toBe('"3"');
  });

  it.each([
    ['W/"3"', /W\/"3" is a weak tag.*: send "3"$/],
    ['"3-gzip"', /proxies that compress.*: send "3"$/],
    ['"three"', /has "three", which no version has/],
    ['"2"', /^The resource has changed since/],
  ])('%s is 412, which says what happened', async (header, message) => {
    gateway.serve(patchCard, ({ if_match }) => {
      requireVersion(card, if_match);
      return { resource: card, replayed: false };
    });
    const { status, json: told } = await patch(header);
    expect([status, told.error.code]).toEqual([412, 'precondition_failed']);
    expect(told.error.details.current_version).toBe(3);
    expect(told.error.message).toMatch(message);
  });

  it.each(['*', '3', '', '"1" "2"'])('%j is 400', async (header) => {
    expect(await patch(header)).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
  });

  it('is 428 where it is missing, before anything that is 400, 415, 413 or 422', async () => {
    const wrong = [
      { headers: json, body: '{' },
      { headers: json, body: '{"title":1}' },
      { headers: json, body: `{"title":"${'x'.repeat(2 ** 21)}"}` },
      { headers: { 'content-type': 'text/plain' }, body: 'x' },
      { headers: {} },
    ];
    for (const sent of wrong) {
      const answer = await gateway.call({ method: 'PATCH', path: '/cards/no-uuid?what=1', ...sent });
      expect(answer).toMatchObject({ status: 428, json: { error: { code: 'precondition_required' } } });
    }
    const archive = await gateway.call({ method: 'POST', path: `${cardPath}/archive`, headers: json, body: '{}' });
    expect(archive.status).toBe(428);
  });
});

describe('Idempotency-Key', () => {
  const commands: { id: string; fingerprint: string }[] = [];
  const create = async (key: string | string[] | undefined, body: string, token?: string) => {
    const headers = { ...json, 'idempotency-key': key };
    return gateway.call({ method: 'POST', path: '/boards', headers, body, ...(token ? { token } : {}) });
  };
  beforeAll(() => {
    gateway.serve(createBoard, ({ command }) => {
      commands.push(command);
      return { resource: aBoard(), replayed: false };
    });
  });

  it('is 400 where it is missing or malformed', async () => {
    for (const key of [undefined, '', 'a b', 'é', 'k'.repeat(256), ['a', 'b']]) {
      expect(await create(key, '{"name":"a"}')).toMatchObject({
        status: 400,
        json: { error: { code: 'invalid_request' } },
      });
    }
    expect(commands).toEqual([]);
  });

  it('makes equal commands of equal requests, whatever their white space, and different ones of different requests', async () => {
    const key = v7();
    await create(key, '{"name":"a","visibility":"workspace"}');
    await create(key, ' { "visibility" : "workspace", "name" : "\\u0061" } ');
    await create(key, '{"name":"b"}');
    await create(`${key}x`, '{"name":"b"}');
    await create(key, '{"name":"b"}', await gateway.tokenFor({ user: v7() }));
    const [first, second, otherBody, otherKey, otherUser] = commands;
    expect(first?.id).toBe(commandIdOf(gateway.caller, 'createBoard', key));
    expect(second).toEqual(first);
    expect(otherBody?.id).toBe(first?.id);
    expect(otherBody?.fingerprint).not.toBe(first?.fingerprint);
    expect(otherKey?.id).not.toBe(first?.id);
    expect(otherKey?.fingerprint).toBe(otherBody?.fingerprint);
    expect(otherUser?.id).not.toBe(first?.id);
  });

  it('is not required of a PATCH, and each PATCH is a command of its own', async () => {
    const ids: string[] = [];
    gateway.serve(patchCard, ({ command }) => {
      ids.push(command.id);
      return { resource: card, replayed: false };
    });
    for (const _ of [1, 2]) {
      const headers = { ...json, 'if-match': '"3"' };
      await gateway.call({ method: 'PATCH', path: cardPath, headers, body: '{"title":"a"}' });
    }
    expect(new Set(ids).size).toBe(2);
  });
});

describe('a replayed answer', () => {
  const headers = { ...json, 'idempotency-key': 'k', 'if-match': '"1"' };

  it('of a create has the status, ETag and Location of the first one, and says so', async () => {
    const board = aBoard({ version: 4 });
    gateway.serve(createBoard, () => ({ resource: board, replayed: true }));
    const answer = await gateway.call({ method: 'POST', path: '/boards', headers, body: '{"name":"a"}' });
    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({
      etag: '"4"',
      location: `/api/kanban/v1/boards/${board.id}`,
      'idempotent-replayed': 'true',
    });
    expect(answer.json).toEqual({ data: board });
  });

  it('is marked only where it is one', async () => {
    const archive = () => gateway.call({ method: 'POST', path: `${cardPath}/archive`, headers });
    gateway.serve(archiveCard, () => ({ resource: card, replayed: true }));
    expect((await archive()).headers['idempotent-replayed']).toBe('true');
    gateway.serve(archiveCard, () => ({ resource: card, replayed: false }));
    const fresh = await archive();
    expect(fresh.status).toBe(200);
    expect(fresh.headers).not.toHaveProperty('idempotent-replayed');
  });
});

describe('If-None-Match', () => {
  beforeAll(() => gateway.serve(getCard, () => card));
  const get = (ifNoneMatch: string | string[], method = 'GET') =>
    gateway.call({ method, path: cardPath, headers: { 'if-none-match': ifNoneMatch } });

  it.each<[string | string[]]>(
    ['"3"', 'W/"3"', '"1", "3"', '*', ['"1"', '"3"']].map((header): [string | string[]] => [header]),
  )('%j is 304 without a body', async (header) => {
    const answer = await get(header);
    expect(answer).toMatchObject({ status: 304, text: '', headers: { etag: '"3"' } });
    expect(answer.headers).toHaveProperty('x-request-id');
    expect((await get(header, 'HEAD')).status).toBe(304);
  });

  it.each(['"2"', '"abc"', 'W/"33"'])('%j is 200', async (header) => {
    expect(await get(header)).toMatchObject({ status: 200, json: { data: card }, headers: { etag: '"3"' } });
  });

  it('is 400 where it is malformed, without a request to the owner, and without an ETag', async () => {
    const asked: unknown[] = [];
    gateway.serve(getCard, (request) => {
      asked.push(request);
      throw notFound('Card');
    });
    for (const header of ['3', '', '"3', '*, "3"']) {
      const answer = await get(header);
      expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
      expect(answer.headers).not.toHaveProperty('etag');
    }
    expect(asked).toEqual([]);
    gateway.serve(getCard, () => card);
  });

  it('is ignored for resources without a version', async () => {
    const reference = {
      board_name: 'a',
      board_archived_at: null,
      board_deleted_at: null,
      deleted_at: null,
      dependency_count: 0,
      dependent_count: 0,
    };
    const found = { resolved_identifier: 'PAY-7', is_alias: false, current_identifier: 'PAY-7' };
    gateway.serve(getCardByIdentifier, () => ({ card, reference, ...found }));
    const answer = await gateway.call({ path: '/cards/by-identifier/PAY-7', headers: { 'if-none-match': '*' } });
    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('etag');
  });
});

describe('a header that is read here', () => {
  const long = 'x'.repeat(1025);
  const patch = (headers: Record<string, string>) =>
    gateway.call({
      method: 'PATCH',
      path: cardPath,
      headers: { ...json, 'if-match': '"3"', ...headers },
      body: '{"title":"a"}',
    });

  it.each<[string, string]>([
    ['If-Match', `,${' '.repeat(1023)}x`],
    ['If-None-Match', `,${' '.repeat(1023)}x`],
    ['Idempotency-Key', long],
    ['Content-Type', `application/json; a=${long}`],
    ['Content-Encoding', long],
    ['Host', long],
    ['Origin', `https://${long}`],
    ['Range', `bytes=${long}`],
  ])('%s of more than 1 KiB is 400 and named', async (name, value) => {
    const answer = await patch({ [name.toLowerCase()]: value });
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
    expect(answer.json.error.message).toBe(`${name} must have at most 1024 characters`);
  });

  it('may have 1 KiB', async () => {
    let seen: unknown;
    gateway.serve(patchCard, ({ if_match }) => {
      seen = if_match;
      return { resource: card, replayed: false };
    });
    expect((await patch({ 'if-match': `"3"${' '.repeat(1021)}` })).status).toBe(200);
    expect(seen).toEqual([3]);
  });

  it('is looked at after token, scope and If-Match', async () => {
    const headers = { ...json, origin: long };
    const missing = await gateway.call({ method: 'PATCH', path: cardPath, headers, body: '{}' });
    expect(missing.status).toBe(428);
    const token = await gateway.tokenFor({ scope: 'kanban:read' });
    expect((await gateway.call({ method: 'PATCH', path: cardPath, headers, body: '{}', token })).status).toBe(403);
    expect((await gateway.call({ path: cardPath, headers, token: false })).status).toBe(401);
  });

  it('Authorization of more than 8 KiB is 400', async () => {
    const answer = await gateway.call({ path: cardPath, token: 'x'.repeat(8200) });
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
    expect(answer.json.error.message).toBe('Authorization must have at most 8192 characters');
  });
});

it('a header that nobody reads may be longer', async () => {
  const headers = { cookie: 'x'.repeat(4000), referer: 'x'.repeat(4000) };
  expect((await gateway.call({ path: cardPath, headers })).status).toBe(200);
});

it('an overlong traceparent is not taken', async () => {
  let seen: string | undefined;
  gateway.serve(getCard, () => {
    seen = currentContext()?.traceparent;
    return card;
  });
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const ask = async (more: string) => {
    const traceparent = `cc-${trace}-00f067aa0ba902b7-00-${more}`;
    expect((await gateway.call({ path: cardPath, headers: { traceparent } })).status).toBe(200);
  };
  await ask('more');
  expect(seen).toContain(trace);
  await ask('x'.repeat(1024));
  expect(seen).not.toContain(trace);
});

describe('X-Request-Id', () => {
  it.each(['a', 'trace.me-42_x', 'r'.repeat(128)])('%s comes back', async (id) => {
    const answer = await gateway.call({ path: '/nowhere', headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toBe(id);
    expect(answer.json.error.request_id).toBe(id);
  });

  it.each<[string | string[]]>([['a b'], ['r'.repeat(129)], [['a', 'b']]])('%j does not', async (id) => {
    const answer = await gateway.call({ path: '/nowhere', headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});
