import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { watchLog } from './events/log.ts';
import { type Fixture, fixtureOf, newFixture, stateOf } from './routes/fixture.ts';
import { bodyOf, idOf, namingFields, type Route, routes, sendTo } from './routes/samples.ts';
import { type Answer, clientOf } from './workspace.ts';

const stack = await sharedStack();

// The caller's own resources, and those that must look to the caller as if they had never existed.
const own = await newFixture(stack);
const { workspaceId: workspace, userId: user } = own.client;
/** The same user without `kanban:admin`. */
const plain = await clientOf(stack, { workspace, user, scope: 'kanban:read kanban:write' });
const ofAnotherWorkspace = await newFixture(stack);
const neighbour = await clientOf(stack, { workspace: own.client.workspaceId });
const onPrivateBoard = await fixtureOf(neighbour, { visibility: 'private' });
const deleted = await fixtureOf(own.client);
const { client, comment, subtask, label, card, other, board, file, webhook } = deleted;
await client.data(client.delete(`/files/${file.id}`));
const paths = [`/comments/${comment.id}`, `/subtasks/${subtask.id}`, `/labels/${label.id}`, `/webhooks/${webhook.id}`];
for (const path of paths) {
  const { version } = await client.data(client.get(path));
  await client.data(client.delete(path, { ifMatch: version }));
}
for (const { id } of [card, other]) {
  await client.data(client.delete(`/cards/${id}`, { ifMatch: (await client.card(id)).version }));
}
await client.data(client.delete(`/boards/${board.id}`, { ifMatch: 1 }));
const victims = [own, ofAnotherWorkspace, onPrivateBoard];
const before = await Promise.all(victims.map(stateOf));
/** Of both workspaces; the neighbour sees all of the caller's. */
const logs = [await watchLog(neighbour), await watchLog(ofAnotherWorkspace.client)];

/** Resources of the workspace; all others are as visible as their board. */
const isOfWorkspace = (parameter: string) =>
  ['label_id', 'workstream_id', 'webhook_id', 'person_id'].includes(parameter);

/** Workstreams are archived, keys revoked, people erased. */
const isNeverDeleted = (parameter: string) => ['workstream_id', 'api_key_id', 'person_id'].includes(parameter);

/** What stands for a parameter. */
type Spelling = (fixture: Fixture, parameter: string) => string;

/** Ids of hidden and of deleted resources of the kind, and one that never existed. */
const strangeIds = (parameter: string, spell: Spelling): [kind: string, id: string][] => [
  ['of another workspace', spell(ofAnotherWorkspace, parameter)],
  ...(isOfWorkspace(parameter)
    ? []
    : ([['of a private board', spell(onPrivateBoard, parameter)]] as [string, string][])),
  ...(isNeverDeleted(parameter) ? [] : ([['deleted', spell(deleted, parameter)]] as [string, string][])),
];
/** The identifier of a card that a path names. */
const identifierOf: Spelling = ({ card, other }, parameter) => (parameter === 'card_id' ? card : other).identifier;
const neverWas = (parameter: string) => (parameter === 'identifier' ? 'NEVER-1' : randomUUID());

/** Headers that differ between any two answers. */
const passing = ['date', 'content-length', 'ratelimit-remaining', 'ratelimit-reset'];

/** An answer without its time and the rest of the rate limit, with the requested id replaced. */
const shapeOf = ({ status, headers, body }: Answer, id: string) => ({
  status,
  headers: [...headers].filter(([name]) => !passing.includes(name)),
  body: JSON.parse(JSON.stringify(body).replaceAll(id, 'ID')),
});

const asked = { headers: { 'x-request-id': 'the-same' } };

/** Sends the same request for each strange id; all answers must be equal. */
const expectNoDifference = async (
  parameter: string,
  send: (id: string) => Promise<Answer>,
  spell: Spelling = idOf,
): Promise<Answer> => {
  const id = neverWas(spell === identifierOf ? 'identifier' : parameter);
  const unknown = await send(id);
  for (const [kind, strange] of strangeIds(parameter, spell)) {
    expect(shapeOf(await send(strange), strange), kind).toEqual(shapeOf(unknown, id));
  }
  return unknown;
};

/** Admins manage the members of every board and the API keys of every user of the workspace. */
const isOfAdmins = ({ path }: Route) => path.includes('/members') || path.startsWith('/api-keys');

/** A user is no resource of the service: any id may be a member or an assignee. */
const namesResource = (parameter: string) => parameter !== 'user_id';

/** Removing what is not there succeeds. */
const isTakenAway = ({ method, params }: Route, parameter: string) => method === 'DELETE' && params[0] !== parameter;

describe('a hidden or deleted id in a path is like one that never existed', () => {
  const cases = routes.flatMap((route) =>
    route.params.filter(namesResource).map((parameter) => [route.method, route.path, parameter, route] as const),
  );

  it.each(cases)('%s %s: %s', async (_method, _path, parameter, route) => {
    const unknown = await expectNoDifference(parameter, (id) =>
      sendTo(route, own, {
        by: isOfAdmins(route) ? plain : own.client,
        replacement: { [parameter]: id },
        options: asked,
      }),
    );
    if (isTakenAway(route, parameter)) expect([204, 404]).toContain(unknown.status);
    else expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });
});

describe('an identifier in a path that leads to no visible card is like one that never existed', () => {
  const cases = routes.flatMap((route) => route.cards.map((name) => [route.method, route.path, name, route] as const));

  it.each(cases)('%s %s: %s', async (_method, _path, parameter, route) => {
    const send = (identifier: string) =>
      sendTo(route, own, { replacement: { [parameter]: identifier }, options: asked });
    const unknown = await expectNoDifference(parameter, send, identifierOf);
    const id = randomUUID();
    expect(shapeOf(unknown, 'NEVER-1')).toEqual(shapeOf(await send(id), id));
  });
});

describe('a hidden or deleted id in a body is like one that never existed', () => {
  const cases = routes.flatMap((route) =>
    namingFields(route)
      .filter(([, parameter]) => namesResource(parameter))
      .map(([field, parameter]) => [route.operationId, field, parameter, route] as const),
  );

  it.each(cases)('%s: %s', async (_operation, field, parameter, route) => {
    const { position: _, ...body } = bodyOf(route, own);
    const unknown = await expectNoDifference(parameter, (id) =>
      sendTo(route, own, { options: { ...asked, body: { ...body, [field]: id } } }),
    );
    expect([404, 422]).toContain(unknown.status);
  });
});

describe('lists', () => {
  const ofBoard = ['column_id', 'label_id', 'workstream_id'];
  const listings: [list: string, parameter: string][] = [
    ...ofBoard.map((parameter): [string, string] => ['/boards/{board_id}/cards', parameter]),
    ...[...ofBoard, 'board_id'].map((parameter): [string, string] => ['/cards', parameter]),
  ];
  it.each(listings)('%s finds nothing by a strange %s', async (list, parameter) => {
    const path = list.replace('{board_id}', own.board.id);
    const answer = await expectNoDifference(parameter, (id) => own.client.get(`${path}?${parameter}=${id}`, asked));
    expect(answer.body.data).toEqual([]);
  });

  it('name no board of others, and nothing of another workspace', async () => {
    const { client } = own;
    const ids = async (path: string) => (await client.all(path)).map(({ id }) => id);
    expect(await ids('/boards')).toEqual([own.board.id]);
    expect(await ids('/boards?archived=true')).toEqual([]);
    expect(await ids('/files')).toEqual([own.file.id]);
    expect(await ids('/labels')).not.toContain(ofAnotherWorkspace.label.id);
    expect(await ids('/workstreams')).not.toContain(ofAnotherWorkspace.workstream.id);
  });
});

describe('after all these', () => {
  it('nothing has changed, and there is no event', async () => {
    expect(await Promise.all(victims.map(stateOf))).toEqual(before);
    for (const log of logs) expect(await log.news()).toEqual([]);
  });
});
