import {
  archiveBoard,
  archiveColumn,
  type Card,
  type CardinalError,
  type Column,
  createComment,
  createLabel,
  createSubtask,
  deleteBoard,
  getCardByIdentifier,
  getComment,
  getSubtask,
  listComments,
  listSubtasks,
  listUnrecorded,
  type MoveCardBody,
  moveCard,
  patchBoard,
  projectDependency,
  putAssignee,
  putCardLabel,
  searchCards,
  summarizeCards,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { transfer } from './support/builders.ts';
import { dependencyEvent } from './support/dependency-event.ts';
import { startFixture } from './support/fixture.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture({ instances: 2 });
const { bus, identifier } = fixture;

/** Two boards with two columns each; the first column of each holds cards. */
const setUp = async () => {
  const workspace = openWorkspace(bus);
  const here = await workspace.board('Doing', 'Done');
  const there = await workspace.board('Inbox', 'Later');
  const [doing] = here.columns as [Column, Column];
  const [inbox, later] = there.columns as [Column, Column];
  const [b, a] = (await workspace.cards(doing.id, 'B', 'A')) as [Card, Card];
  const [y, x] = (await workspace.cards(inbox.id, 'Y', 'X')) as [Card, Card];
  return { workspace, here: here.board, there: there.board, doing, inbox, later, a, b, x, y };
};

const refusalOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'done',
    ({ code, message }: CardinalError) => `${code}: ${message}`,
  );

describe('a card that moves to another board', () => {
  it('takes its identifiers and all that hangs on it along, to the place that is named', async () => {
    const { workspace, here, there, inbox, a, b, x, y } = await setUp();
    const { who, order } = workspace;
    const pay = identifier.add(who.workspace_id, 'PAY');
    const { resource: named } = await transfer({ bus }, who, a, pay.id);
    const { resource: label } = await bus.call(createLabel, { ...order(), body: { name: 'bug' } });
    const card_id = a.id;
    await bus.call(putCardLabel, { ...who, card_id, label_id: label.id });
    await bus.call(putAssignee, { ...who, card_id, assignee_user_id: who.user_id });
    const { resource: comment } = await bus.call(createComment, { ...order(), card_id, body: { body: 'Why?' } });
    const { resource: subtask } = await bus.call(createSubtask, { ...order(), card_id, body: { title: 'Ask' } });
    await bus.call(projectDependency, dependencyEvent(who.workspace_id, [a.id, b.id]));
    const before = await workspace.read(a.id);

    const moved = await workspace.move(a.id, { column_id: inbox.id, after_card_id: x.id });
    expect(moved).toEqual({
      ...before,
      ...{ board_id: there.id, column_id: inbox.id, version: before.version + 1 },
      ...{ position: expect.any(Number), updated_at: moved.updated_at },
    });
    expect(await workspace.read(a.id)).toEqual(moved);
    expect(await workspace.titles(here.id)).toEqual(['B']);
    expect(await workspace.titles(there.id)).toEqual(['X', 'A', 'Y']);
    expect(await workspace.titles(there.id, { blocked: true, label_id: label.id, assignee_user_id: 'me' })).toEqual([
      'A',
    ]);
    const all = await bus.call(searchCards, {
      ...who,
      filters: { board_id: there.id, sort: 'created' },
      page: { limit: 9 },
    });
    expect(all.items.map((card) => card.id)).toEqual([a.id, y.id, x.id]);
    for (const spelling of [named.identifier, a.identifier]) {
      const found = await bus.call(getCardByIdentifier, { ...who, identifier: spelling });
      expect(found).toMatchObject({ card: moved, reference: { board_name: there.name, dependency_count: 1 } });
    }
    const history = await bus.call(listUnrecorded, { ...who, card_id, from_version: 1, limit: 10 });
    expect(history).toMatchObject({ current_identifier: named.identifier });
    expect((await bus.call(listComments, { ...who, card_id, page: { limit: 9 } })).items).toEqual([comment]);
    expect((await bus.call(listSubtasks, { ...who, card_id, page: { limit: 9 } })).items).toEqual([subtask]);

    const back = await workspace.move(a.id, { column_id: b.column_id, position: 'end' });
    expect(back).toMatchObject({ board_id: here.id, identifier: named.identifier, version: moved.version + 1 });
    expect(await workspace.titles(here.id)).toEqual(['B', 'A']);
  });

  it('is seen by those who see the board that it comes to, and by nobody else', async () => {
    const { workspace, here, there, inbox, doing, a } = await setUp();
    const { order } = workspace;
    const other = openWorkspace(bus, workspace.who.workspace_id);
    const card_id = a.id;
    const { resource: comment } = await bus.call(createComment, { ...order(), card_id, body: { body: 'Why?' } });
    const { resource: subtask } = await bus.call(createSubtask, { ...order(), card_id, body: { title: 'Ask' } });
    const visibility = { board_id: there.id, if_match: [1], body: { visibility: 'private' as const } };
    await bus.call(patchBoard, { ...order(), ...visibility });
    const seen = async () => {
      const { who } = other;
      const summaries = await bus.call(summarizeCards, { ...who, card_ids: [a.id] });
      const all = await bus.call(searchCards, { ...who, filters: {}, page: { limit: 9 } });
      return [
        await refusalOf(other.read(a.id)),
        await refusalOf(bus.call(getCardByIdentifier, { ...who, identifier: a.identifier })),
        await refusalOf(bus.call(getComment, { ...who, comment_id: comment.id })),
        await refusalOf(bus.call(getSubtask, { ...who, subtask_id: subtask.id })),
        `${summaries.length} summaries, ${all.items.filter(({ id }) => id === a.id).length} found, ` +
          `${(await other.titles(here.id)).filter((title) => title === 'A').length} listed`,
      ];
    };
    const all = ['done', 'done', 'done', 'done', '1 summaries, 1 found, 1 listed'];
    expect(await seen()).toEqual(all);
    await workspace.move(a.id, { column_id: inbox.id });
    const none = ['Card', 'Card', 'Comment', 'Subtask'].map((what) => `not_found: ${what} not found`);
    expect(await seen()).toEqual([...none, '0 summaries, 0 found, 0 listed']);
    await workspace.move(a.id, { column_id: doing.id });
    expect(await seen()).toEqual(all);
  });
});

describe('a board', () => {
  it('that is hidden, deleted or unknown takes no card, and the three cannot be distinguished', async () => {
    const { workspace, there, inbox, later, a, x } = await setUp();
    const other = openWorkspace(bus, workspace.who.workspace_id);
    const mine = await other.board('Mine');
    const [card] = (await other.cards(mine.columns[0]?.id ?? '', 'Mine')) as [Card];
    const answers = async () =>
      Promise.all(
        [inbox.id, v7()].flatMap((column_id) =>
          [{ column_id }, { column_id, before_card_id: x.id }].map((body) => refusalOf(other.move(card.id, body))),
        ),
      );
    const refusal = 'validation_error: column_id must be a column of a board that you see';
    const patch = { board_id: there.id, if_match: [1], body: { visibility: 'private' as const } };
    await bus.call(patchBoard, { ...workspace.order(), ...patch });
    expect(new Set(await answers())).toEqual(new Set([refusal]));
    await bus.call(patchBoard, { ...workspace.order(), ...patch, if_match: [2], body: { visibility: 'workspace' } });
    await bus.call(archiveColumn, { ...workspace.order(), column_id: later.id, if_match: [1] });
    expect(await refusalOf(other.move(card.id, { column_id: later.id }))).toBe('conflict: The column is archived');
    await bus.call(archiveBoard, { ...workspace.order(), board_id: there.id, if_match: [3] });
    expect(await refusalOf(other.move(card.id, { column_id: inbox.id }))).toBe('conflict: The board is archived');
    // From an archived board cards may go.
    await workspace.move(x.id, { column_id: a.column_id });
    await bus.call(deleteBoard, { ...workspace.order(), board_id: there.id, if_match: [4] });
    expect(new Set(await answers())).toEqual(new Set([refusal]));
    expect(await other.read(card.id)).toEqual(card);
  });
});

describe('many moves at once', () => {
  it('between two boards, with room made on both, never fail, and each card is on one of them', async () => {
    const { workspace, here, there, doing, inbox, a, x } = await setUp();
    const cards = [
      ...(await workspace.cards(doing.id, ...Array.from({ length: 8 }, (_, at) => `Here ${at}`))),
      ...(await workspace.cards(inbox.id, ...Array.from({ length: 8 }, (_, at) => `There ${at}`))),
    ];
    const places: MoveCardBody[] = [
      { column_id: inbox.id, after_card_id: x.id },
      { column_id: doing.id, before_card_id: a.id },
      { column_id: inbox.id, position: 5e-324 },
      { column_id: doing.id, position: 'end' },
      { column_id: inbox.id },
    ];
    const rounds = cards.map(async ({ id }, at) => {
      for (let round = 0; round < 10; round += 1) {
        await workspace.move(id, places[(at + round) % places.length] as MoveCardBody);
      }
    });
    await Promise.all(rounds);
    const lists = [await workspace.page(here.id), await workspace.page(there.id)];
    const items = lists.flatMap((list) => list.items);
    expect(items.map(({ id }) => id).sort()).toEqual([...(await allIds(workspace))].sort());
    expect(items).toHaveLength(20);
    expect(new Set(items.map(({ column_id, position }) => `${column_id} ${position}`)).size).toBe(20);
    for (const [at, list] of lists.entries()) {
      const [board, column] = at === 0 ? [here, doing] : [there, inbox];
      for (const card of list.items) expect(card).toMatchObject({ board_id: board.id, column_id: column.id });
    }
  });

  it('with one version, to different boards, have one winner', async () => {
    const { workspace, inbox, doing, a, b } = await setUp();
    const bodies: MoveCardBody[] = [{ column_id: inbox.id }, { column_id: doing.id, after_card_id: b.id }];
    const codes = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const body = bodies[at % 2] as MoveCardBody;
        return refusalOf(bus.call(moveCard, { ...workspace.order(), card_id: a.id, if_match: [1], body }));
      }),
    );
    expect(codes.filter((code) => code === 'done')).toHaveLength(1);
    expect(codes.filter((code) => code.startsWith('precondition_failed'))).toHaveLength(11);
  });
});

const allIds = async ({ who }: ReturnType<typeof openWorkspace>) => {
  const { items } = await bus.call(searchCards, { ...who, filters: {}, page: { limit: 100 } });
  return items.map(({ id }) => id);
};
