import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Body, clientOf, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

const summaryOf = ({ id, identifier, title, board_id, completed_at, archived_at }: Body) => ({
  id,
  identifier,
  title,
  board_id,
  completed_at,
  archived_at,
});
const resolve = async (body: object, by = client): Promise<Body[]> =>
  by.data(by.post('/identifiers/resolve', { body, key: null }));

const { client, column } = await workspaceWithBoard(stack);
const pay = await client.createWorkstream('PAY');
/** A card that was `MAIN-1` and is `PAY-1` now. */
const card = await client.data(client.transfer(await client.createCard(column.id, 'Pay 😀'), pay.id));
const summary = summaryOf(card);
const gone = await client.createCard(column.id, 'gone');
await client.data(client.delete(`/cards/${gone.id}`, { ifMatch: 1 }));

const nothing = { card: null, is_alias: false, current_identifier: null };
const found = (is_alias: boolean) => ({ card: summary, is_alias, current_identifier: 'PAY-1' });

describe('identifiers of a list', () => {
  it('are answered in their order, in any spelling, each as often as it is there', async () => {
    const identifiers = ['main-1', 'PAY-1', 'PAY-2', 'MAIN-2', 'Refund', 'main-1', 'NONE-1', ''];
    const places = { start: null, end: null };
    const answers = [found(true), found(false), nothing, nothing, nothing, found(true), nothing, nothing];
    expect(await resolve({ identifiers })).toEqual(
      identifiers.map((requested, at) => ({ requested, ...places, ...answers[at] })),
    );
  });

  it('are a hundred at most, and of no more than a hundred characters', async () => {
    expect(await resolve({ identifiers: Array(100).fill('PAY-1') })).toHaveLength(100);
    for (const identifiers of [[], Array(101).fill('PAY-1'), ['x'.repeat(101)], [1], ['a\ud800'], 'PAY-1']) {
      const answer = await client.post('/identifiers/resolve', { body: { identifiers } });
      expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_error']);
    }
  });
});

describe('references in a text', () => {
  it('are words in capitals with the prefix of a workstream of the workspace', async () => {
    const text = '😀 PAY-1: UTF-8, pay-1 and MAIN-1 (not xPAY-1); PAY-7, SHA-256, MAIN-2';
    const entries = await resolve({ text });
    expect(entries.map(({ start, end }) => Array.from(text).slice(start, end).join(''))).toEqual([
      ...['PAY-1', 'MAIN-1', 'PAY-7', 'MAIN-2'],
    ]);
    const [start, end] = [2, 7];
    expect(entries[0]).toEqual({ requested: 'PAY-1', start, end, ...found(false) });
    expect(entries[1]).toMatchObject({ requested: 'MAIN-1', ...found(true) });
    expect(entries.slice(2)).toMatchObject([nothing, nothing]);
    const anyCase = await resolve({ text, any_case: true });
    expect(anyCase.map(({ requested }) => requested)).toEqual(['PAY-1', 'pay-1', 'MAIN-1', 'PAY-7', 'MAIN-2']);
    expect(anyCase[1]).toMatchObject(found(false));
    expect(await resolve({ text: '' })).toEqual([]);
  });

  it('are a hundred different ones at most, at a thousand places of 64 KiB, and in an answer of 256 KiB', async () => {
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => `PAY-${at + 1}`).join(' ');
    expect(await resolve({ text: `${numbers(100)} PAY-1 NONE-1` })).toHaveLength(101);
    expect(await resolve({ text: 'PAY-404 '.repeat(1_000) })).toHaveLength(1_000);
    // What is no reference does not count.
    expect(await resolve({ text: 'UTF-8 '.repeat(10_000) })).toEqual([]);
    const { identifier } = await client.createCard(column.id, 'é'.repeat(240));
    const heavy = `${identifier} `.repeat(400);
    for (const text of [numbers(101), 'é'.repeat(32 * 1024 + 1), 'PAY-404 '.repeat(1_001), heavy]) {
      const answer = await client.post('/identifiers/resolve', { body: { text } });
      expect([answer.status, answer.body.error.details[0].path]).toEqual([422, ['text']]);
    }
  });
});

it('is a query: a list or a text, for which reading is enough', async () => {
  const { workspaceId: workspace } = client;
  const reader = await clientOf(stack, { workspace, scope: 'kanban:read' });
  expect(await resolve({ text: 'PAY-1' }, reader)).toMatchObject([found(false)]);
  for (const body of [{}, { text: 'a', identifiers: ['PAY-1'] }, { text: 'a', more: 1 }, { text: null }]) {
    expect((await client.post('/identifiers/resolve', { body })).status).toBe(422);
  }
});

it('shows nothing of hidden cards and of other workspaces', async () => {
  const stranger = await clientOf(stack, { workspace: client.workspaceId });
  await client.data(client.patch(`/boards/${card.board_id}`, { ifMatch: 1, body: { visibility: 'private' } }));
  const text = 'PAY-1 MAIN-1 MAIN-2 PAY-2';
  const identifiers = text.split(' ');
  for (const body of [{ text }, { identifiers }]) {
    expect(await resolve(body, stranger)).toMatchObject(identifiers.map((requested) => ({ requested, ...nothing })));
  }
  expect(await resolve({ text: `${text} UTF-8` }, await clientOf(stack))).toMatchObject([
    { requested: 'MAIN-1', ...nothing },
    { requested: 'MAIN-2', ...nothing },
  ]);
  expect(await resolve({ text })).toMatchObject([found(false), found(true), nothing, nothing]);
});
