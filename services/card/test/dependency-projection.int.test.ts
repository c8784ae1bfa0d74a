import {
  type Card,
  deleteCard,
  getCardByIdentifier,
  listCards,
  patchBoard,
  projectDependency,
  summarizeCards,
} from '@cardinal/contracts';
import { eventually } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { dependencyEvent } from './support/dependency-event.ts';
import { startFixture } from './support/fixture.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus } = fixture;

const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { workspace_id } = workspace.who;
  const { board, columns } = await workspace.board('Doing');
  const [a, b] = (await workspace.cards(columns[0]?.id ?? '', 'A', 'B')) as [Card, Card];
  const event = (exists: boolean, version: number) => dependencyEvent(workspace_id, [a.id, b.id], { exists, version });
  const project = (exists: boolean, version: number) => bus.call(projectDependency, event(exists, version));
  const countsOf = async (card: Card) => {
    const { reference } = await bus.call(getCardByIdentifier, { ...workspace.who, identifier: card.identifier });
    return [reference.dependency_count, reference.dependent_count];
  };
  const blocked = async () => {
    const filters = { archived: false, blocked: true };
    const page = await bus.call(listCards, { ...workspace.who, board_id: board.id, filters, page: { limit: 10 } });
    return page.items.map(({ title }) => title);
  };
  return { workspace, board, a, b, event, project, countsOf, blocked };
};

test('a dependency is counted at both ends and blocks, until it is removed', async () => {
  const { a, b, project, countsOf, blocked } = await setUp();
  expect(await project(true, 1)).toEqual({ applied: true });
  expect([await countsOf(a), await countsOf(b), await blocked()]).toEqual([[1, 0], [0, 1], ['A']]);
  expect(await project(false, 2)).toEqual({ applied: true });
  expect([await countsOf(a), await countsOf(b), await blocked()]).toEqual([[0, 0], [0, 0], []]);
});

test('older words and the same ones again change nothing, also after the removal', async () => {
  const { a, project, countsOf } = await setUp();
  expect(await project(false, 5)).toEqual({ applied: true });
  expect(await project(true, 4)).toEqual({ applied: false });
  expect(await countsOf(a)).toEqual([0, 0]);
  expect(await project(true, 6)).toEqual({ applied: true });
  expect(await project(true, 6)).toEqual({ applied: false });
  expect(await project(false, 5)).toEqual({ applied: false });
  expect(await countsOf(a)).toEqual([1, 0]);
});

test('events of the feed reach the projection too', async () => {
  const { a, event, countsOf } = await setUp();
  fixture.feeds.dependency.append(event(true, 1));
  await eventually(async () => expect(await countsOf(a)).toEqual([1, 0]));
});

test('a deleted card counts nowhere, not even when word of its dependency comes late', async () => {
  const { workspace, a, b, project, countsOf, blocked } = await setUp();
  await project(true, 1);
  await bus.call(deleteCard, { ...workspace.order(), card_id: b.id, if_match: [b.version] });
  expect([await countsOf(a), await blocked()]).toEqual([[0, 0], []]);
  expect(await project(true, 1)).toEqual({ applied: false });
  expect([await countsOf(a), await blocked()]).toEqual([[0, 0], []]);
});

test('summaries tell of the cards that the caller sees, each once, and of deleted boards', async () => {
  const { workspace, board, a, b } = await setUp();
  const ask = (who: { workspace_id: string; user_id: string }) =>
    bus.call(summarizeCards, { ...who, card_ids: [b.id, v7(), a.id, b.id] });
  const ids = async (who: { workspace_id: string; user_id: string }) => (await ask(who)).map(({ id }) => id).sort();
  const colleague = { ...workspace.who, user_id: v7() };

  expect(await ids(colleague)).toEqual([a.id, b.id].sort());
  const shown = (await ask(workspace.who)).find(({ id }) => id === a.id);
  const { id, identifier, title, board_id, completed_at, archived_at } = a;
  expect(shown).toEqual({ id, identifier, title, board_id, completed_at, archived_at, board_deleted: false });
  expect(await ids({ ...workspace.who, workspace_id: v7() })).toEqual([]);

  const body = { visibility: 'private' as const };
  await bus.call(patchBoard, { ...workspace.order(), board_id: board.id, if_match: [board.version], body });
  expect(await ids(colleague)).toEqual([]);
  expect(await ids(workspace.who)).toEqual([a.id, b.id].sort());
});

test('requests for summaries that arrive together are each answered for themselves', async () => {
  const [one, other] = await Promise.all([setUp(), setUp()]);
  const ask = (who: { workspace_id: string; user_id: string }, ...cards: Card[]) =>
    bus.call(summarizeCards, { ...who, card_ids: cards.map(({ id }) => id) });
  const answers = await Promise.all([
    ask(one.workspace.who, one.a, other.a),
    ask(other.workspace.who, other.b, other.a),
    ask(one.workspace.who, other.b),
    ask(one.workspace.who, one.b),
  ]);
  expect(answers.map((cards) => cards.map(({ id }) => id))).toEqual([
    [one.a.id],
    [other.b.id, other.a.id],
    [],
    [one.b.id],
  ]);
});
