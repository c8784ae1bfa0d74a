import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { create, edit, list, type Refused, refusesEach, stack, world } from './routes/bad-requests.ts';
import { clientOf } from './workspace.ts';

refusesEach([
  ['a broken percent-encoding in the path', 400, 'invalid_request', ({ client }) => client.get('/cards/%zz')],
  ['a cursor of nonsense', 400, 'invalid_request', list('cursor=nonsense')],
  ['limit 0', 400, 'invalid_request', list('limit=0')],
  ['limit 101', 400, 'invalid_request', list('limit=101')],
  ...['0x10', '1e1', '%2B5', '05', '%205', '5%20', '5.0', '', '-1'].map(
    (limit): Refused => [`limit=${limit}`, 400, 'invalid_request', list(`limit=${limit}`)],
  ),
  ...['', '1', 'TRUE', '%20true'].map(
    (flag): Refused => [`completed=${flag}`, 400, 'invalid_request', list(`completed=${flag}`)],
  ),
  ['a parameter named __proto__', 400, 'invalid_request', list('__proto__=1')],
  ['an empty q', 400, 'invalid_request', list('q=')],
  [
    'a malformed If-None-Match, also for an unknown card',
    400,
    'invalid_request',
    ({ client }) => client.get(`/cards/${randomUUID()}`, { headers: { 'if-none-match': '3' } }),
  ],
  [
    'an If-None-Match of more than 1 KiB',
    400,
    'invalid_request',
    ({ client, card }) => client.get(`/cards/${card.id}`, { headers: { 'if-none-match': `"${'1'.repeat(1024)}"` } }),
  ],
  ['a flag that is none', 400, 'invalid_request', list('archived=perhaps')],
  ['a date that is none', 400, 'invalid_request', list('due_before=tomorrow')],
  ['a parameter given twice', 400, 'invalid_request', list('limit=1&limit=2')],
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
  ['no If-Match, and nonsense in the body', 428, 'precondition_required', edit({ ifMatch: null, raw: '{' })],
  ['an unknown path', 404, 'not_found', ({ client }) => client.get('/nowhere')],
  ['another method', 405, 'method_not_allowed', ({ client, card }) => client.send('PUT', `/cards/${card.id}`)],
]);

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
