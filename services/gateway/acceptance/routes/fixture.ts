import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { create, uploaded } from '../files/uploading.ts';
import { type Body, type Client, clientOf, type Stack } from '../workspace.ts';

/** One of everything that a path can name, made by one user. */
export interface Fixture {
  client: Client;
  board: Body;
  column: Body;
  card: Body;
  /** Another card of the same board. */
  other: Body;
  label: Body;
  comment: Body;
  subtask: Body;
  /** Not the one of its cards. */
  workstream: Body;
  /** Another one, which adopts cards. */
  adopting: Body;
  /** A clean image of the board, the card's cover and the subtask's linked file; without images one that nobody sent. */
  file: Body;
  /** Paused: nobody is there to receive anything. */
  webhook: Body;
  /** An API key that nobody uses. */
  apiKey: Body;
  /** Somebody who never came. */
  person: Body;
}

let made = 0;
/** No two fixtures of a test file name their workstreams alike, so an identifier of one means nothing in another. */
const newPrefix = () => {
  made += 1;
  return `G${made}`;
};

const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A clean image of a board, which may be a cover and be linked. */
const fileOn = async (client: Client, board: Body): Promise<Body> => {
  const file = await uploaded(client, 'dot.png', image, { board_id: board.id });
  expect(file.status).toBe('clean');
  return file;
};

interface FixtureOptions {
  visibility?: 'workspace' | 'private';
  /** Whether the file is an image, which a process decodes: it costs as much as all the rest. */
  hasImage?: boolean;
}

/** Makes one of everything on a new board. */
export const fixtureOf = async (
  client: Client,
  { visibility = 'workspace', hasImage = true }: FixtureOptions = {},
): Promise<Fixture> => {
  const make = (path: string, body: unknown) => client.data(client.post(path, { body }));
  const board = await make('/boards', { name: 'Payments', visibility });
  const column = await make(`/boards/${board.id}/columns`, { name: 'To do' });
  const home = await client.createWorkstream(newPrefix());
  const [other, card] = [
    await client.createCard(column.id, 'other', { workstream_id: home.id }),
    await client.createCard(column.id, 'card', { workstream_id: home.id }),
  ];
  const comment = await make(`/cards/${card.id}/comments`, { body: 'said' });
  const subtask = await make(`/cards/${card.id}/subtasks`, { title: 'part' });
  const label = await make('/labels', { name: 'bug' });
  const workstream = await client.createWorkstream(newPrefix());
  const adopting = await make('/workstreams', { name: 'Adopting', prefix: newPrefix(), adopting: true });
  const file = await (hasImage ? fileOn(client, board) : create(client, 'dot.png', { board_id: board.id }));
  if (hasImage) {
    await client.data(client.put(`/cards/${card.id}/cover/${file.id}`));
    await client.data(client.put(`/subtasks/${subtask.id}/linked-file/${file.id}`));
  }
  const { secret: _, ...hook } = await make('/webhooks', { url: 'https://receiver.invalid/' });
  const webhook = await client.data(
    client.patch(`/webhooks/${hook.id}`, { ifMatch: hook.version, body: { state: 'paused' } }),
  );
  const { key: _text, ...apiKey } = await make('/api-keys', { name: 'laptop', scope: 'kanban:read' });
  const person = await make('/people', { name: 'Maria Silva', email: `${randomUUID()}@example.com` });
  const [seenCard, seenSubtask] = [
    await client.card(card.id),
    await client.data(client.get(`/subtasks/${subtask.id}`)),
  ];
  return {
    client,
    board,
    column,
    card: seenCard,
    other,
    label,
    comment,
    subtask: seenSubtask,
    workstream,
    adopting,
    file,
    webhook,
    apiKey,
    person,
  };
};

/** The same in a workspace of its own. */
export const newFixture = async (stack: Stack, options?: FixtureOptions): Promise<Fixture> =>
  fixtureOf(await clientOf(stack), options);

/** The URL from which bytes are read changes every minute. */
const withoutSignatures = (body: Body): Body => JSON.parse(JSON.stringify(body).replaceAll(/\?expires=[^"]*/g, ''));

/** What the fixture holds, as its owner reads it now. */
export const stateOf = async ({
  client,
  board,
  card,
  other,
  label,
  file,
  webhook,
  person,
}: Fixture): Promise<Body> => ({
  board: (await client.get(`/boards/${board.id}`)).body,
  columns: await client.all(`/boards/${board.id}/columns`),
  cards: await client.all(`/boards/${board.id}/cards`),
  histories: [await client.all(`/cards/${card.id}/identifiers`), await client.all(`/cards/${other.id}/identifiers`)],
  comments: await client.all(`/cards/${card.id}/comments`),
  subtasks: await client.all(`/cards/${card.id}/subtasks`),
  dependencies: await client.all(`/cards/${card.id}/dependencies`),
  dependents: await client.all(`/cards/${card.id}/dependents`),
  label: (await client.all('/labels')).find(({ id }) => id === label.id),
  workstreams: await client.all('/workstreams'),
  file: (await client.get(`/files/${file.id}`)).body,
  webhook: (await client.get(`/webhooks/${webhook.id}`)).body,
  api_keys: await client.all('/api-keys'),
  person: (await client.get(`/people/${person.id}`)).body,
  cover: withoutSignatures((await client.get(`/cards/${card.id}/cover`)).body),
});
