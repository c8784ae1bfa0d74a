import * as contracts from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { startFixture } from './support/fixture.ts';
import { heard, listener } from './support/hearing.ts';

const fixture = await startFixture();
const { identifier } = fixture;
const { call } = fixture.bus;
const setUp = listener(fixture);

const onBoard = ({ board, card }: { board: contracts.Board; card: contracts.Card }) => ({
  ...{ board_id: board.id, other_board_id: null, card: { id: card.id, identifier: card.identifier } },
});
const at = (version: number) => ({ if_match: [version] });

describe('of boards', () => {
  it('their making, edits, archive, restore and end', async () => {
    const { hear, hearNothing } = await setUp();
    const made = await hear(contracts.createBoard, { body: { name: 'Board' } });
    const board = made.data as contracts.Board;
    const about = (version: number) => ({
      ...{ subject: { type: 'board', id: board.id, version }, board_id: board.id, card: null, other_board_id: null },
    });
    expect(made).toMatchObject({ type: 'board.created', ...about(1), changed: [], previous: {} });
    const edited = await hear(contracts.patchBoard, {
      board_id: board.id,
      ...at(1),
      is_admin: false,
      body: { name: 'New' },
    });
    expect(edited).toMatchObject({
      type: 'board.updated',
      ...about(2),
      changed: ['name'],
      previous: { name: 'Board' },
    });
    expect(edited.data).toEqual({ ...board, name: 'New', version: 2, updated_at: edited.at });
    const archived = await hear(contracts.archiveBoard, { board_id: board.id, ...at(2) });
    const archiving = { changed: ['archived_at'], previous: { archived_at: null } };
    expect(archived).toMatchObject({ type: 'board.archived', ...about(3), ...archiving });
    await hearNothing(contracts.archiveBoard, { board_id: board.id, ...at(3) });
    const restored = await hear(contracts.restoreBoard, { board_id: board.id, ...at(3) });
    expect(restored).toMatchObject({ type: 'board.restored', ...about(4), previous: { archived_at: archived.at } });
    await hearNothing(contracts.deleteBoard, { board_id: board.id, ...at(1) }, 'precondition_failed');
    const gone = { type: 'board.deleted', ...about(5), changed: [], previous: {}, data: null };
    expect(await hear(contracts.deleteBoard, { board_id: board.id, ...at(4) })).toMatchObject(gone);
  });

  it('who comes and goes, and in which role', async () => {
    const { board, hear, hearNothing } = await setUp();
    const member = { board_id: board.id, member_user_id: v7(), is_admin: false };
    const about = {
      ...{ subject: { type: 'member', id: member.member_user_id, version: null }, board_id: board.id, card: null },
    };
    const added = await hear(contracts.putBoardMember, { ...member, body: {} });
    expect(added).toMatchObject({ type: 'member.added', ...about, changed: [], data: { role: 'member' } });
    const raised = await hear(contracts.putBoardMember, { ...member, body: { role: 'owner' } });
    expect(raised).toMatchObject({ type: 'member.added', ...about, changed: ['role'], previous: { role: 'member' } });
    await hearNothing(contracts.putBoardMember, { ...member, body: {} });
    const removed = await hear(contracts.deleteBoardMember, member);
    expect(removed).toMatchObject({ type: 'member.removed', ...about, changed: [], data: null });
    await hearNothing(contracts.deleteBoardMember, member);
  });

  it('their columns', async () => {
    const { board, hear, hearNothing } = await setUp();
    const made = await hear(contracts.createColumn, { board_id: board.id, body: { name: 'New' } });
    const { id, position } = made.data as contracts.Column;
    const about = (version: number) => ({ subject: { type: 'column', id, version }, board_id: board.id, card: null });
    expect(made).toMatchObject({ type: 'column.created', ...about(1) });
    const moved = await hear(contracts.patchColumn, {
      column_id: id,
      ...at(1),
      body: { name: 'Old', position: 'start' },
    });
    const was = { name: 'New', position };
    expect(moved).toMatchObject({ type: 'column.updated', ...about(2), changed: ['name', 'position'], previous: was });
    await hearNothing(contracts.patchColumn, { column_id: id, ...at(2), body: { name: 'Old' } });
    const archived = await hear(contracts.archiveColumn, { column_id: id, ...at(2) });
    expect(archived).toMatchObject({ type: 'column.archived', ...about(3), changed: ['archived_at'] });
    const restored = await hear(contracts.restoreColumn, { column_id: id, ...at(3) });
    expect(restored).toMatchObject({ type: 'column.restored', ...about(4), previous: { archived_at: archived.at } });
  });
});

describe('of cards', () => {
  it('their making, edits, archive, restore and end', async () => {
    const set = await setUp();
    const { todo, hear, hearNothing, board } = set;
    const made = await hear(contracts.createCard, { column_id: todo.id, body: { title: 'Card' } });
    const card = made.data as contracts.Card;
    const about = (version: number) => ({
      ...onBoard({ board, card }),
      subject: { type: 'card', id: card.id, version },
    });
    expect(made).toMatchObject({ type: 'card.created', ...about(1), changed: [], previous: {} });
    const one = { card_id: card.id };
    const done = await hear(contracts.patchCard, { ...one, ...at(1), body: { completed: true } });
    const completing = { changed: ['completed_at'], previous: { completed_at: null } };
    expect(done).toMatchObject({ type: 'card.updated', ...about(2), ...completing });
    await hearNothing(contracts.patchCard, { ...one, ...at(2), body: { completed: true, title: 'Card' } });
    const archived = await hear(contracts.archiveCard, { ...one, ...at(2) });
    expect(archived).toMatchObject({ type: 'card.archived', ...about(3), changed: ['archived_at'] });
    await hearNothing(contracts.archiveCard, { ...one, ...at(3) });
    const restored = await hear(contracts.restoreCard, { ...one, ...at(3) });
    expect(restored).toMatchObject({ type: 'card.restored', ...about(4), previous: { archived_at: archived.at } });
    await hearNothing(contracts.restoreCard, { ...one, ...at(4) });
    await hearNothing(contracts.patchCard, { ...one, ...at(1), body: { title: 'No' } }, 'precondition_failed');
    const gone = { type: 'card.deleted', ...about(5), changed: [], previous: {}, data: null };
    expect(await hear(contracts.deleteCard, { ...one, ...at(4) })).toMatchObject(gone);
  });

  it('transfers, under the identifier that they have since', async () => {
    const { who, card, board, hear, hearNothing } = await setUp();
    const web = identifier.add(who.workspace_id, 'WEB');
    const transferred = await hear(contracts.transferCard, {
      card_id: card.id,
      ...at(1),
      body: { workstream_id: web.id },
    });
    expect(transferred).toMatchObject({
      ...{ type: 'card.transferred', ...onBoard({ board, card: { ...card, identifier: 'WEB-1' } }) },
      ...{ changed: ['identifier', 'workstream'], previous: { identifier: 'MAIN-1' } },
    });
    await hearNothing(contracts.transferCard, { card_id: card.id, ...at(2), body: { workstream_id: web.id } });
  });

  it('moves, also to another board', async () => {
    const set = await setUp();
    const { card, todo, done, board, hear, hearNothing } = set;
    const one = { card_id: card.id };
    const moved = await hear(contracts.moveCard, { ...one, ...at(1), body: { column_id: done.id } });
    expect(moved).toMatchObject({ type: 'card.moved', ...onBoard(set), previous: { column_id: todo.id } });
    await hearNothing(contracts.moveCard, { ...one, ...at(2), body: { position: 'end' } });
    const other = await set.elsewhere();
    const away = await hear(contracts.moveCard, { ...one, ...at(2), body: { column_id: other.column.id } });
    expect(away).toMatchObject({
      ...{ type: 'card.moved', board_id: other.board.id, other_board_id: board.id },
      ...{ changed: ['board_id', 'column_id'], previous: { board_id: board.id, column_id: done.id } },
    });
  });

  it('their labels and assignees', async () => {
    const set = await setUp();
    const { card, label, hear, hearNothing } = set;
    const user = { card_id: card.id, assignee_user_id: v7() };
    const assigned = await hear(contracts.putAssignee, user);
    const about = { type: 'card.updated', ...onBoard(set), previous: {} };
    expect(assigned).toMatchObject({ ...about, changed: ['assignee_user_ids'] });
    await hearNothing(contracts.putAssignee, user);
    expect(await hear(contracts.deleteAssignee, user)).toMatchObject({ ...about, changed: ['assignee_user_ids'] });
    await hearNothing(contracts.deleteAssignee, user);
    const mark = { card_id: card.id, label_id: label.id };
    expect(await hear(contracts.putCardLabel, mark)).toMatchObject({ ...about, changed: ['label_ids'] });
    expect(await hear(contracts.deleteCardLabel, mark)).toMatchObject({ ...about, changed: ['label_ids'] });
    await hearNothing(contracts.putCardLabel, { ...mark, label_id: v7() }, 'not_found');
  });

  it('many at once, each for itself', async () => {
    const { cards, todo, card, label, all } = await setUp();
    const [other] = (await cards(todo.id, 'Other')) as [contracts.Card];
    const both = (version: number) => [card, other].map(({ id }) => ({ card: id, version }));
    const types = async (body: z.input<typeof contracts.bulkCardsBody>) =>
      (await all(contracts.bulkCards, { body })).map(({ type }) => type);
    const twice = (type: string) => [type, type];
    expect(await types({ cards: both(1), patch: { completed: true } })).toEqual(twice('card.updated'));
    expect(await types({ cards: both(2), add_labels: [label.id] })).toEqual(twice('card.updated'));
    expect(await types({ cards: both(3), archive: true })).toEqual(twice('card.archived'));
    expect(
      await types({
        cards: [
          { card: card.id, version: 4 },
          { card: other.id, version: 1 },
        ],
        restore: true,
      }),
    ).toEqual(['card.restored']);
  });

  it('that come along with their identifiers', async () => {
    const { who, todo, all } = await setUp();
    const { id: workstream_id } = identifier.add(who.workspace_id, 'OLD', { adopting: true });
    const cards = [7, 7, 8].map((number) => ({ number, column_id: todo.id, title: `Old ${number}` }));
    const events = await all(contracts.adoptCards, { workstream_id, body: { cards } });
    expect(events.map(({ type, card }) => [type, card?.identifier])).toEqual([
      ['card.created', 'OLD-7'],
      ['card.created', 'OLD-8'],
    ]);
  });
});

describe('of what hangs on cards', () => {
  it('labels of the workspace, whose end is none of the cards', async () => {
    const { card, hear, order } = await setUp();
    const made = await hear(contracts.createLabel, { body: { name: 'New', color: '#000000' } });
    const { id } = made.data as contracts.Label;
    await call(contracts.putCardLabel, { ...order(), card_id: card.id, label_id: id });
    const about = (version: number) => ({ subject: { type: 'label', id, version }, board_id: null, card: null });
    expect(made).toMatchObject({ type: 'label.created', ...about(1) });
    const edited = await hear(contracts.patchLabel, { label_id: id, ...at(1), body: { color: '#ffffff' } });
    expect(edited).toMatchObject({ type: 'label.updated', ...about(2), previous: { color: '#000000' } });
    const gone = await hear(contracts.deleteLabel, { label_id: id, ...at(2) });
    expect(gone).toMatchObject({ type: 'label.deleted', ...about(3), data: null });
  });

  it('comments', async () => {
    const set = await setUp();
    const { card, hear, hearNothing } = set;
    const made = await hear(contracts.createComment, { card_id: card.id, body: { body: 'x'.repeat(241) } });
    const { id } = made.data as contracts.Comment;
    const about = (version: number) => ({ ...onBoard(set), subject: { type: 'comment', id, version } });
    expect(made).toMatchObject({ type: 'comment.created', ...about(1) });
    const edited = await hear(contracts.patchComment, { comment_id: id, ...at(1), body: { body: 'Short' } });
    expect(edited).toMatchObject({ type: 'comment.updated', ...about(2), changed: ['body'], previous: {} });
    await hearNothing(contracts.patchComment, { comment_id: id, ...at(2), body: { body: 'Short' } });
    const gone = await hear(contracts.deleteComment, { comment_id: id, ...at(2) });
    expect(gone).toMatchObject({ type: 'comment.deleted', ...about(3), data: null });
  });

  it('subtasks, whose file is only told where it is on the board of the card, or on none', async () => {
    const set = await setUp();
    const { card, board, hear, who } = set;
    const made = await hear(contracts.createSubtask, { card_id: card.id, body: { title: 'Step' } });
    const { id } = made.data as contracts.Subtask;
    const about = (version: number) => ({ ...onBoard(set), subject: { type: 'subtask', id, version } });
    expect(made).toMatchObject({ type: 'subtask.created', ...about(1) });
    const link = (version: number, board_id: string | null) =>
      call(contracts.projectLinkedFile, {
        ...{ id: v7(), type: contracts.linkedFileChanged.type, version: contracts.linkedFileChanged.version },
        ...{ occurred_at: new Date().toISOString(), workspace_id: who.workspace_id, request_id: 'test' },
        ...{ aggregate_id: id, aggregate_version: version },
        data: { subtask_id: id, card_id: card.id, file: { id: v7(), name: 'plan.pdf', board_id } },
      });
    const linked = async (version: number, title: string) =>
      (await hear(contracts.patchSubtask, { subtask_id: id, ...at(version), body: { title } })).data;
    await link(1, board.id);
    expect(await linked(2, 'One')).toMatchObject({ linked_file: { name: 'plan.pdf' } });
    await link(2, (await set.elsewhere()).board.id);
    expect(await linked(4, 'Two')).toMatchObject({ title: 'Two', linked_file: null });
    const done = await hear(contracts.patchSubtask, { subtask_id: id, ...at(5), body: { completed: true } });
    expect(done).toMatchObject({ type: 'subtask.updated', ...about(6), changed: ['completed_at'] });
    const gone = await hear(contracts.deleteSubtask, { subtask_id: id, ...at(6) });
    expect(gone).toMatchObject({ type: 'subtask.deleted', ...about(7), data: null });
  });
});

it('of every operation that writes', () => {
  const writing = contracts.declaredOperations.filter(
    ({ subject, http }) => subject.startsWith('rpc.card.') && !http.isRead,
  );
  expect([...heard].sort()).toEqual(writing.map(({ subject }) => subject).sort());
});
