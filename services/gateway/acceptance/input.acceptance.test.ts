import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  archive,
  create,
  edit,
  emoji,
  makeWorkstream,
  type Refused,
  refusesEach,
  world,
} from './routes/bad-requests.ts';

/** A body in the name of its test. */
const told = (body: unknown) => JSON.stringify(body).slice(0, 40);

/** A wrong body for what hangs on a card. */
const wrong =
  (what: 'comments' | 'subtasks') =>
  (body: unknown): Refused => [
    `one of the ${what} ${told(body)}`,
    422,
    'validation_error',
    ({ client, card }) => client.post(`/cards/${card.id}/${what}`, { body }),
  ];

refusesEach([
  ['a body that is not UTF-8', 400, 'invalid_request', create({ raw: Buffer.from('{"title":"\xff"}', 'latin1') })],
  ['a field named __proto__', 422, 'validation_error', create({ raw: '{"title":"a","__proto__":{"b":1}}' })],
  ['text on archive', 400, 'invalid_request', archive({ raw: 'x', headers: { 'content-type': 'text/plain' } })],
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
  ...[{ body: '' }, { body: ' \n\t' }, { body: 'x'.repeat(20_001) }, { body: 'a\0b' }, { body: 7 }].map(
    wrong('comments'),
  ),
  ...[{ title: ' ' }, { title: emoji(241) }, {}].map(wrong('subtasks')),
  ...[{ name: '' }, { name: 'x'.repeat(121) }, { name: 'a', color: 'red' }, { name: 'a', color: '#12345' }].map(
    (body): Refused => [
      `the label ${told(body)}`,
      422,
      'validation_error',
      ({ client }) => client.post('/labels', { body }),
    ],
  ),
  ...[{ role: 'admin' }, { role: 'owner', level: 1 }, null, []].map(
    (body): Refused => [
      `the member ${told(body)}`,
      422,
      'validation_error',
      ({ client, board }) => client.put(`/boards/${board.id}/members/${randomUUID()}`, { body }),
    ],
  ),
  ['the prefix main', 409, 'conflict', makeWorkstream({ name: 'a', prefix: 'main' })],
]);

describe('input at its limits', () => {
  it('takes a title of 240 emoji', async () => {
    const { client, column } = await world();
    expect((await client.createCard(column.id, emoji(240))).title).toBe(emoji(240));
  });

  it('takes a comment of 20,000 emoji', async () => {
    const { client, card } = await world();
    const body = emoji(20_000);
    expect((await client.data(client.post(`/cards/${card.id}/comments`, { body: { body } }))).body).toBe(body);
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

  it.each([
    ['2030-01-01t01:30:00z', '2030-01-01T01:30:00.000Z'],
    ['2030-01-01t01:30:00.5+02:00', '2029-12-31T23:30:00.500Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ])('reads the due date %s', async (sent, stored) => {
    expect((await edit({ body: { due_date: sent } })(await world())).body.data.due_date).toBe(stored);
  });

  it('turns a due date with an offset into UTC with milliseconds', async () => {
    const answer = await edit({ body: { due_date: '2030-01-01T01:30:00+02:00' } })(await world());
    expect(answer.body.data.due_date).toBe('2029-12-31T23:30:00.000Z');
  });
});
