import { randomUUID } from 'node:crypto';
import { sharedStack, type WrongTokens } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Answer, type Body, type Client, clientOf, type SendOptions, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

interface World {
  client: Client;
  board: Body;
  column: Body;
  card: Body;
}

const world = async (): Promise<World> => {
  const { client, board, column } = await workspaceWithBoard(stack);
  return { client, board, column, card: await client.createCard(column.id, 'untouched') };
};

/** A refusal in the shape of the catalogue that tells nothing of the inside. */
const expectRefusal = (answer: Answer, status: number, code: string) => {
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status, code });
  expect(answer.body.error.message).toEqual(expect.any(String));
  expect(answer.body.error.request_id).toBe(answer.headers.get('x-request-id'));
  expect(JSON.stringify(answer.body)).not.toMatch(/\bat .*:\d+|node_modules|\.ts:|select |insert /i);
};

const unchanged = async ({ client, board, card }: World) => {
  expect(await client.card(card.id)).toEqual(card);
  expect(await client.all(`/boards/${board.id}/cards`)).toEqual([card]);
  expect(await client.all(`/boards/${board.id}/columns`)).toHaveLength(1);
};

type Send = (world: World) => Promise<Answer>;

const create =
  (options: SendOptions): Send =>
  ({ client, column }) =>
    client.post(`/columns/${column.id}/cards`, options);
const edit =
  (options: SendOptions): Send =>
  ({ client, card }) =>
    client.patch(`/cards/${card.id}`, { ifMatch: card.version, ...options });
const archive =
  (options: SendOptions): Send =>
  ({ client, card }) =>
    client.post(`/cards/${card.id}/archive`, { ifMatch: card.version, ...options });
const list =
  (query: string): Send =>
  ({ client, board }) =>
    client.get(`/boards/${board.id}/cards?${query}`);
const makeWorkstream =
  (body: unknown): Send =>
  ({ client }) =>
    client.post('/workstreams', { body });

const emoji = (count: number) => '😀'.repeat(count);

const refusals: [string, number, string, Send][] = [
  ['malformed JSON', 400, 'invalid_request', create({ raw: '{"title":' })],
  ['a body that is not UTF-8', 400, 'invalid_request', create({ raw: Buffer.from('{"title":"\xff"}', 'latin1') })],
  ['a prototype in the JSON', 400, 'invalid_request', create({ raw: '{"title":"a","__proto__":{"b":1}}' })],
  ['`{}` on archive', 400, 'invalid_request', archive({ body: {} })],
  ['text on archive', 400, 'invalid_request', archive({ raw: 'x', headers: { 'content-type': 'text/plain' } })],
  [
    '`{}` on restore',
    400,
    'invalid_request',
    ({ client, card }) => client.post(`/cards/${card.id}/restore`, { ifMatch: 1, body: {} }),
  ],
  ['a path id that is no uuid', 400, 'invalid_request', ({ client }) => client.get('/cards/42')],
  ['a broken percent-encoding in the path', 400, 'invalid_request', ({ client }) => client.get('/cards/%zz')],
  ['a cursor of nonsense', 400, 'invalid_request', list('cursor=nonsense')],
  ['limit 0', 400, 'invalid_request', list('limit=0')],
  ['limit 101', 400, 'invalid_request', list('limit=101')],
  ['a flag that is none', 400, 'invalid_request', list('archived=perhaps')],
  ['a date that is none', 400, 'invalid_request', list('due_before=tomorrow')],
  ['an unknown query parameter', 400, 'invalid_request', list('colour=red')],
  ['a parameter given twice', 400, 'invalid_request', list('limit=1&limit=2')],
  ['no Idempotency-Key', 400, 'invalid_request', create({ key: null, body: { title: 'a' } })],
  ['an Idempotency-Key with a space', 400, 'invalid_request', create({ key: 'a b', body: { title: 'a' } })],
  [
    'an Idempotency-Key of 256 characters',
    400,
    'invalid_request',
    create({ key: 'k'.repeat(256), body: { title: 'a' } }),
  ],
  ['an unquoted If-Match', 400, 'invalid_request', edit({ ifMatch: '1', body: { title: 'a' } })],
  ['If-Match: *', 400, 'invalid_request', edit({ ifMatch: '*', body: { title: 'a' } })],
  ['an If-Match that is no integer', 400, 'invalid_request', edit({ ifMatch: '"one"', body: { title: 'a' } })],
  ['a weak If-Match', 412, 'precondition_failed', edit({ ifMatch: 'W/"1"', body: { title: 'a' } })],
  ['a stale If-Match', 412, 'precondition_failed', edit({ ifMatch: '"2", "3"', body: { title: 'a' } })],
  [
    'a stale If-Match on DELETE',
    412,
    'precondition_failed',
    ({ client, card }) => client.delete(`/cards/${card.id}`, { ifMatch: 9 }),
  ],
  ['no If-Match', 428, 'precondition_required', edit({ ifMatch: null, body: { title: 'a' } })],
  ['no If-Match on DELETE', 428, 'precondition_required', ({ client, card }) => client.delete(`/cards/${card.id}`)],
  ['no If-Match, and nonsense in the body', 428, 'precondition_required', edit({ ifMatch: null, raw: '{' })],
  [
    '2 MiB of JSON',
    413,
    'payload_too_large',
    create({ body: { title: 'a', description: 'x'.repeat(2 * 1024 * 1024) } }),
  ],
  [
    'a body that is not JSON',
    415,
    'unsupported_media_type',
    create({ raw: 'title=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  ],
  ['no body', 422, 'validation_error', create({})],
  ['a body that is a list', 422, 'validation_error', create({ body: [] })],
  ['a body that is null', 422, 'validation_error', create({ body: null })],
  ['an empty title', 422, 'validation_error', create({ body: { title: '' } })],
  ['a title of blanks', 422, 'validation_error', create({ body: { title: ' \t\u3000' } })],
  ['a title of 241 emoji', 422, 'validation_error', create({ body: { title: emoji(241) } })],
  ['NUL in a title', 422, 'validation_error', create({ raw: '{"title":"a\\u0000b"}' })],
  ['a lone surrogate in a title', 422, 'validation_error', create({ raw: '{"title":"a\\ud800b"}' })],
  ['a lone surrogate in a description', 422, 'validation_error', edit({ raw: '{"description":"\\udc00"}' })],
  [
    'a description of 20,001 characters',
    422,
    'validation_error',
    create({ body: { title: 'a', description: 'x'.repeat(20_001) } }),
  ],
  ['an unknown field', 422, 'validation_error', create({ body: { title: 'a', colour: 'red' } })],
  [
    'an identifier chosen by the client',
    422,
    'validation_error',
    create({ body: { title: 'a', identifier: 'PAY-1' } }),
  ],
  ['a number as title', 422, 'validation_error', create({ body: { title: 7 } })],
  ['an unknown priority', 422, 'validation_error', create({ body: { title: 'a', priority: 'high' } })],
  [
    'a due date that is none',
    422,
    'validation_error',
    create({ body: { title: 'a', due_date: '2024-02-30T00:00:00Z' } }),
  ],
  [
    'a due date before the year 1',
    422,
    'validation_error',
    create({ body: { title: 'a', due_date: '0000-01-01T00:00:00Z' } }),
  ],
  ['a workstream_id that is no uuid', 422, 'validation_error', create({ body: { title: 'a', workstream_id: 'PAY' } })],
  ['an edit of nothing', 422, 'validation_error', edit({ body: {} })],
  ['a null title', 422, 'validation_error', edit({ body: { title: null } })],
  [
    'a move to nowhere',
    422,
    'validation_error',
    ({ client, card }) => client.post(`/cards/${card.id}/move`, { ifMatch: 1, body: {} }),
  ],
  [
    'a move with two places',
    422,
    'validation_error',
    ({ client, card }) =>
      client.post(`/cards/${card.id}/move`, { ifMatch: 1, body: { position: 1, before_card_id: card.id } }),
  ],
  [
    'a move beside an unknown card',
    422,
    'validation_error',
    ({ client, card }) => client.post(`/cards/${card.id}/move`, { ifMatch: 1, body: { before_card_id: randomUUID() } }),
  ],
  ['a bad prefix', 422, 'validation_error', makeWorkstream({ name: 'a', prefix: '1A' })],
  ['a prefix of one letter', 422, 'validation_error', makeWorkstream({ name: 'a', prefix: 'A' })],
  ['a prefix of eleven letters', 422, 'validation_error', makeWorkstream({ name: 'a', prefix: 'ABCDEFGHIJK' })],
  ['a prefix outside ASCII', 422, 'validation_error', makeWorkstream({ name: 'a', prefix: 'PÄY' })],
  ['a workstream without a name', 422, 'validation_error', makeWorkstream({ prefix: 'PAY' })],
  ['a name of 121 characters', 422, 'validation_error', makeWorkstream({ name: 'x'.repeat(121), prefix: 'PAY' })],
  ['the prefix main', 409, 'conflict', makeWorkstream({ name: 'a', prefix: 'main' })],
  ['an unknown card', 404, 'not_found', ({ client }) => client.get(`/cards/${randomUUID()}`)],
  [
    'an unknown column',
    404,
    'not_found',
    ({ client }) => client.post(`/columns/${randomUUID()}/cards`, { body: { title: 'a' } }),
  ],
  ['an unknown board', 404, 'not_found', ({ client }) => client.get(`/boards/${randomUUID()}/cards`)],
  ['an unknown workstream', 404, 'not_found', ({ client }) => client.get(`/workstreams/${randomUUID()}`)],
  ['an unknown path', 404, 'not_found', ({ client }) => client.get('/nowhere')],
  ['another method', 405, 'method_not_allowed', ({ client, card }) => client.send('PUT', `/cards/${card.id}`)],
];

describe('a bad request changes nothing and says why', () => {
  it.each(refusals)('%s: %i %s', async (_, status, code, send) => {
    const before = await world();
    expectRefusal(await send(before), status, code);
    await unchanged(before);
  });
});

describe('details of a refusal', () => {
  it('name every broken field of a body', async () => {
    const answer = await create({ body: { title: '', priority: 'high' } })(await world());
    expect(answer.body.error.details.map((issue: { path: string[] }) => issue.path)).toEqual([['title'], ['priority']]);
  });

  it('name the current version of a stale write', async () => {
    const answer = await edit({ ifMatch: 9, body: { title: 'a' } })(await world());
    expect(answer.body.error.details).toEqual({ current_version: 1 });
  });

  it('name the methods that a path knows', async () => {
    const { client, card } = await world();
    const answer = await client.send('PUT', `/cards/${card.id}`);
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH']);
  });
});

describe('input at its limits', () => {
  it('takes a title of 240 emoji', async () => {
    const { client, column } = await world();
    expect((await client.createCard(column.id, emoji(240))).title).toBe(emoji(240));
  });

  it('trims a title and keeps a description as it is', async () => {
    const { client, column } = await world();
    const card = await client.createCard(column.id, '  spaced  ', { description: '  kept\r\n' });
    expect(card).toMatchObject({ title: 'spaced', description: '  kept\r\n' });
  });

  it('stores a prefix in upper case', async () => {
    const { client } = await world();
    expect(await client.createWorkstream('pay')).toMatchObject({ prefix: 'PAY' });
  });

  it('takes an empty body with a JSON content type for no body', async () => {
    const answer = await archive({ raw: '', headers: { 'content-type': 'application/json' } })(await world());
    expect(answer.status).toBe(200);
  });

  it('accepts one of several versions in If-Match', async () => {
    expect((await edit({ ifMatch: 'W/"1", "7", "1"', body: { title: 'listed' } })(await world())).status).toBe(200);
  });

  it('turns a due date with an offset into UTC with milliseconds', async () => {
    const answer = await edit({ body: { due_date: '2030-01-01T01:30:00+02:00' } })(await world());
    expect(answer.body.data.due_date).toBe('2029-12-31T23:30:00.000Z');
  });
});

describe('tokens', () => {
  const withHeader = async (authorization: string | undefined): Promise<Answer> => {
    const client = await clientOf(stack);
    return client.get('/boards', { headers: { authorization: authorization ?? '' } });
  };

  const wrong: [string, (tokens: WrongTokens) => string | undefined][] = [
    ['none', () => undefined],
    ['another scheme', () => 'Basic dTpw'],
    ['nonsense', () => 'Bearer nonsense'],
    ['an expired one', (tokens) => `Bearer ${tokens.expired}`],
    ['alg none', (tokens) => `Bearer ${tokens.algNone}`],
    ['a wrong audience', (tokens) => `Bearer ${tokens.wrongAudience}`],
    ['a wrong issuer', (tokens) => `Bearer ${tokens.wrongIssuer}`],
    ['another key', (tokens) => `Bearer ${tokens.otherKey}`],
    ['the public key as a secret', (tokens) => `Bearer ${tokens.publicKeyAsSecret}`],
    ['a changed payload', (tokens) => `Bearer ${tokens.tampered}`],
    ['no expiry', (tokens) => `Bearer ${tokens.noExpiry}`],
    ['no workspace', (tokens) => `Bearer ${tokens.noWorkspace}`],
    ['a workspace that is no uuid', (tokens) => `Bearer ${tokens.workspaceNoUuid}`],
  ];

  it.each(wrong)('%s: 401 with WWW-Authenticate', async (_, authorization) => {
    const answer = await withHeader(authorization(await stack.wrongTokens()));
    expectRefusal(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each([
    ['reading', 'kanban:other', 'GET', '/boards'],
    ['writing', 'kanban:read', 'POST', '/boards'],
    ['deleting', 'kanban:read kanban:write', 'DELETE', `/cards/${randomUUID()}`],
  ])('a scope that does not cover %s: 403', async (_, scope, method, path) => {
    const client = await clientOf(stack, { scope });
    expectRefusal(await client.send(method, path), 403, 'insufficient_scope');
  });

  it('of another workspace sees 404, the same as for what never was', async () => {
    const { card, board, column } = await world();
    const stranger = await clientOf(stack);
    const headers = { 'x-request-id': 'the-same' };
    const shape = (answer: Answer) => ({
      status: answer.status,
      body: answer.body,
      headers: [...answer.headers].filter(
        ([name]) =>
          ![
            'date',
            'ratelimit-remaining',
            'ratelimit-reset',
            'x-ratelimit-remaining',
            'x-ratelimit-reset',
            'ratelimit',
          ].includes(name),
      ),
    });
    const asked = (cardId: string, boardId: string, columnId: string) =>
      Promise.all([
        stranger.get(`/cards/${cardId}`, { headers }),
        stranger.get(`/cards/${cardId}/identifiers`, { headers }),
        stranger.patch(`/cards/${cardId}`, { headers, ifMatch: 1, body: { title: 'stolen' } }),
        stranger.post(`/cards/${cardId}/move`, { headers, ifMatch: 1, body: { position: 'end' } }),
        stranger.post(`/cards/${cardId}/archive`, { headers, ifMatch: 1 }),
        stranger.post(`/cards/${cardId}/workstream`, { headers, ifMatch: 1, body: { workstream_id: randomUUID() } }),
        stranger.delete(`/cards/${cardId}`, { headers, ifMatch: 1 }),
        stranger.get(`/boards/${boardId}`, { headers }),
        stranger.get(`/boards/${boardId}/cards`, { headers }),
        stranger.get(`/boards/${boardId}/columns`, { headers }),
        stranger.post(`/columns/${columnId}/cards`, { headers, body: { title: 'smuggled' } }),
      ]);
    const foreign = await asked(card.id, board.id, column.id);
    const unknown = await asked(randomUUID(), randomUUID(), randomUUID());
    expect(foreign.map((answer) => answer.status)).toEqual(foreign.map(() => 404));
    expect(foreign.map(shape)).toEqual(unknown.map(shape));
  });
});

describe('a reused idempotency key', () => {
  it('with another request is 422', async () => {
    const before = await world();
    const key = randomUUID();
    const { client, column, board } = before;
    await client.post(`/columns/${column.id}/cards`, { key, body: { title: 'first' } });
    expectRefusal(
      await client.post(`/columns/${column.id}/cards`, { key, body: { title: 'second' } }),
      422,
      'idempotency_key_reused',
    );
    expectRefusal(
      await client.post(`/boards/${board.id}/columns`, { key, body: { name: 'other' } }),
      422,
      'idempotency_key_reused',
    );
    expect(await client.all(`/boards/${board.id}/cards`)).toHaveLength(2);
  });
});

describe('request ids', () => {
  it('are the caller’s where sane, and made otherwise', async () => {
    const client = await clientOf(stack);
    const ask = async (id: string) =>
      (await client.get('/boards', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await ask('trace.me-42_x')).toBe('trace.me-42_x');
    expect(await ask('not sane; drop table')).not.toBe('not sane; drop table');
    expect(await ask('y'.repeat(300))).toMatch(/^.{1,128}$/);
  });
});
