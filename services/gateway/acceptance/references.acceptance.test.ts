import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Body, clientOf, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

const summaryOf = ({ id, identifier, title, board_id, completed_at, archived_at, column_id, version }: Body) => ({
  id,
  identifier,
  title,
  board_id,
  completed_at,
  archived_at,
  column_id,
  version,
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

/** One that never existed, and one whose card is deleted or hidden. */
const [nothing, goneCard] = [false, true].map((issued) => ({
  card: null,
  is_alias: false,
  current_identifier: null,
  issued,
}));
const found = (is_alias: boolean) => ({ card: summary, is_alias, current_identifier: 'PAY-1', issued: true });

describe('identifiers of a list', () => {
  it('are answered in their order, in any spelling, each as often as it is there', async () => {
    const identifiers = ['main-1', 'PAY-1', 'PAY-2', 'MAIN-2', 'Refund', 'main-1', 'NONE-1', ''];
    const places = { start: null, end: null };
    const answers = [found(true), found(false), nothing, goneCard, nothing, found(true), nothing, nothing];
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
    expect(entries.slice(2)).toMatchObject([nothing, goneCard]);
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
  const hidden = identifiers.map((requested) => ({ requested, ...(requested === 'PAY-2' ? nothing : goneCard) }));
  for (const body of [{ text }, { identifiers }]) expect(await resolve(body, stranger)).toMatchObject(hidden);
  expect(await resolve({ text: `${text} UTF-8` }, await clientOf(stack))).toMatchObject([
    { requested: 'MAIN-1', ...nothing },
    { requested: 'MAIN-2', ...nothing },
  ]);
  expect(await resolve({ text })).toMatchObject([found(false), found(true), goneCard, nothing]);
});

describe('whether an identifier was ever given out', () => {
  const issuedOf = async (identifiers: string[]) => (await resolve({ identifiers })).map(({ issued }) => issued);

  it('is false of the numbers above the last one, and true of every other, also after the workstream was archived', async () => {
    const bug = await client.createWorkstream('BUG');
    expect(await issuedOf(['BUG-1'])).toEqual([false]);
    const first = await client.createCard(column.id, 'first', { workstream_id: bug.id });
    await client.createCard(column.id, 'second', { workstream_id: bug.id });
    await client.data(client.delete(`/cards/${first.id}`, { ifMatch: 1 }));
    const given = ['BUG-1', 'bug-2', 'BUG-3', 'BUG-999999999999999', 'BUGS-1'];
    expect(await issuedOf(given)).toEqual([true, true, false, false, false]);
    await client.data(client.post(`/workstreams/${bug.id}/archive`, { ifMatch: 1 }));
    expect(await issuedOf(given)).toEqual([true, true, false, false, false]);
  });

  it('is true of adopted numbers one by one, and of all that follow the opening', async () => {
    const old = await client.data(
      client.post('/workstreams', { body: { name: 'Old', prefix: 'OLD', adopting: true } }),
    );
    const card = (number: number) => ({ number, column_id: column.id, title: `Old ${number}` });
    const adopted = await client.data(
      client.post(`/workstreams/${old.id}/adoptions`, { body: { cards: [card(3), card(7)] } }),
    );
    await client.data(client.delete(`/cards/${adopted[0].data.id}`, { ifMatch: 1 }));
    const given = ['OLD-2', 'OLD-3', 'OLD-7', 'OLD-8', 'OLD-10', 'OLD-11'];
    expect(await issuedOf(given)).toEqual([false, true, true, false, false, false]);
    await client.data(client.post(`/workstreams/${old.id}/open`, { ifMatch: 1, body: { next_number: 10 } }));
    expect(await issuedOf(given)).toEqual([false, true, true, false, false, false]);
    await client.createCard(column.id, 'new', { workstream_id: old.id });
    expect(await issuedOf(given)).toEqual([false, true, true, false, true, false]);
  });
});
