import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { watchLog } from './events/log.ts';
import { newFixture, stateOf } from './routes/fixture.ts';
import { bodyOf, pathOf, type Route, routes, sendTo } from './routes/samples.ts';
import { clientOf, expectRefusal } from './workspace.ts';

const stack = await sharedStack();
const fixture = await newFixture(stack);
const before = await stateOf(fixture);
const log = await watchLog(fixture.client);

const each = (belongs: (route: Route) => boolean) =>
  it.each(routes.filter(belongs).map((route) => [`${route.method} ${route.path}`, route] as const));
const always = () => true;
const challengeOf = ({ headers }: Awaited<ReturnType<typeof sendTo>>) => headers.get('www-authenticate');
const isWrite = ({ isRead }: Route) => !isRead;

describe('no token', () => {
  each(always)('%s', async (_, route) => {
    const answer = await sendTo(route, fixture, { options: { headers: { authorization: '' } } });
    expectRefusal(answer, 401, 'unauthenticated');
    expect(challengeOf(answer)).toBe('Bearer');
  });
});

describe('a token without the scope', () => {
  each(always)('%s', async (_, route) => {
    const { workspaceId: workspace, userId: user } = fixture.client;
    const scope = route.scope === 'kanban:read' ? 'kanban:other' : 'kanban:read';
    const by = await clientOf(stack, { workspace, user, scope });
    const answer = await sendTo(route, fixture, { by });
    expectRefusal(answer, 403, 'insufficient_scope');
    expect(challengeOf(answer)).toBe(`Bearer error="insufficient_scope", scope="${route.scope}"`);
  });
});

describe('a challenge', () => {
  it('says that a credential is not valid', async () => {
    for (const credential of ['nonsense', `cardinal_${'0'.repeat(71)}`]) {
      const answer = await fixture.client.get('/me', { headers: { authorization: `Bearer ${credential}` } });
      expectRefusal(answer, 401, 'unauthenticated');
      expect(challengeOf(answer)).toBe('Bearer error="invalid_token"');
    }
  });

  it('names the scope that an owner asks for, and none where no scope helps', async () => {
    const { client } = fixture;
    const writer = await clientOf(stack, { workspace: client.workspaceId, scope: 'kanban:write' });
    const adoption = await writer.post('/workstreams', { body: { name: 'Old', prefix: 'OLD', adopting: true } });
    expectRefusal(adoption, 403, 'insufficient_scope');
    expect(challengeOf(adoption)).toBe('Bearer error="insufficient_scope", scope="kanban:admin"');
    const comment = await writer.patch(`/comments/${fixture.comment.id}`, { ifMatch: 1, body: { body: 'Mine' } });
    expectRefusal(comment, 403, 'insufficient_scope');
    expect(challengeOf(comment)).toBe(null);
  });
});

describe('an unknown query parameter', () => {
  each(always)('%s', async (_, route) => {
    expectRefusal(
      await sendTo(route, fixture, { path: `${pathOf(route, fixture)}?color=red` }),
      400,
      'invalid_request',
    );
  });
});

describe('a path id that is no uuid', () => {
  const uuids = ({ params }: Route) => params.filter((name) => name.endsWith('_id'));
  each((route) => uuids(route).length > 0)('%s', async (_, route) => {
    for (const name of uuids(route)) {
      expectRefusal(await sendTo(route, fixture, { replacement: { [name]: '42' } }), 400, 'invalid_request');
    }
  });
});

describe('a body where none may be', () => {
  each((route) => isWrite(route) && !route.takesBody)('%s', async (_, route) => {
    expectRefusal(await sendTo(route, fixture, { options: { body: {} } }), 400, 'invalid_request');
  });
});

describe('a body that is no JSON, is of another type, is missing, or says too much', () => {
  each(({ takesBody }) => takesBody)('%s', async (_, route) => {
    expectRefusal(await sendTo(route, fixture, { options: { raw: '{' } }), 400, 'invalid_request');
    const asText = { raw: 'x', headers: { 'content-type': 'text/plain' } };
    expectRefusal(await sendTo(route, fixture, { options: asText }), 415, 'unsupported_media_type');
    if (route.needsBody) expectRefusal(await sendTo(route, fixture, { options: { raw: '' } }), 422, 'validation_error');
    const more = { ...bodyOf(route, fixture), surprise: true };
    expectRefusal(await sendTo(route, fixture, { options: { body: more } }), 422, 'validation_error');
  });
});

describe('no Idempotency-Key', () => {
  each(({ needsKey }) => needsKey)('%s', async (_, route) => {
    expectRefusal(await sendTo(route, fixture, { options: { key: null } }), 400, 'invalid_request');
  });
});

describe('no If-Match, and one that is stale', () => {
  each(({ needsIfMatch }) => needsIfMatch)('%s', async (_, route) => {
    expectRefusal(await sendTo(route, fixture, { options: { ifMatch: null } }), 428, 'precondition_required');
    expectRefusal(await sendTo(route, fixture, { options: { ifMatch: 999 } }), 412, 'precondition_failed');
  });
});

describe('after all these', () => {
  it('nothing has changed, and there is no event', async () => {
    expect(await stateOf(fixture)).toEqual(before);
    expect(await log.news()).toEqual([]);
  });
});
