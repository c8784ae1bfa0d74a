import { randomUUID } from 'node:crypto';
import { declaredOperations } from '@cardinal/contracts';
import { sharedStack } from '@cardinal/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { fixtureOf, newFixture, stateOf } from '../routes/fixture.ts';
import { bodyOf, idOf, type Route, routes } from '../routes/samples.ts';
import { clientOf } from '../workspace.ts';
import { assistantOf } from './assistant.ts';

const stack = await sharedStack();

const own = await newFixture(stack);
const hidden = await fixtureOf(await clientOf(stack, { workspace: own.client.workspaceId }), { visibility: 'private' });
const { workspaceId: workspace, userId: user } = own.client;
// With `kanban:admin`, which manages the members of private boards too, and without.
const admin = await assistantOf(stack, own.client);
const plain = await assistantOf(stack, await clientOf(stack, { workspace, user, scope: 'kanban:read kanban:write' }));
const before = await stateOf(hidden);
afterAll(() => Promise.all([admin.client.close(), plain.client.close()]));

const adminOperations = declaredOperations
  .filter(({ http }) => http.scope === 'kanban:admin')
  .map(({ http }) => http.id);

/** Resources that are as visible as their board. */
const ofBoard = ['board_id', 'column_id', 'card_id', 'depends_on_card_id', 'comment_id', 'subtask_id', 'file_id'];
const cases = routes
  .filter(({ isStream }) => !isStream)
  .flatMap((route) =>
    route.params.filter((name) => ofBoard.includes(name)).map((name) => [name, route.operationId, route] as const),
  );

const told = async (route: Route, parameter: string, id: string) => {
  const params = Object.fromEntries(route.params.map((name) => [name, idOf(own, name)]));
  const given = {
    operation: route.operationId,
    params: { ...params, [parameter]: id },
    ...(route.takesBody ? { body: bodyOf(route, own) } : {}),
    ...(route.needsIfMatch ? { version: 1 } : {}),
  };
  const by = adminOperations.includes(route.operationId) ? admin : plain;
  const { all } = await by.call('call_operation', given);
  if (all.error) all.error.request_id = '';
  return JSON.stringify(all).replaceAll(id, 'ID');
};

describe('hidden resources are to an assistant as if they had never existed', () => {
  it.each(cases)('%s of %s', async (parameter, _, route) => {
    const strange = await told(route, parameter, idOf(hidden, parameter));
    expect(strange).toBe(await told(route, parameter, randomUUID()));
    // A DELETE that sets a state may be done of what is not there.
    if (route.method !== 'DELETE') expect(strange).toContain('"not_found"');
  });

  it('stays as it was', async () => {
    expect(await stateOf(hidden)).toEqual(before);
  });
});
