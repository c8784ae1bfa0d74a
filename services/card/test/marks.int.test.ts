import {
  archiveCard,
  type Card,
  createLabel,
  deleteAssignee,
  deleteBoard,
  deleteCardLabel,
  deleteLabel,
  listLabels,
  patchLabel,
  putAssignee,
  putCardLabel,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startFixture } from './support/fixture.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture({ instances: 2 });
const { bus } = fixture;

const setUp = async (...titles: string[]) => {
  const workspace = openWorkspace(bus);
  const { who, order } = workspace;
  const { board, columns } = await workspace.board('Doing');
  const cards = await workspace.cards(columns[0]?.id ?? '', 'Card', ...titles);
  const label = async (name: string) => (await bus.call(createLabel, { ...order(), body: { name } })).resource;
  const put = (label_id: string, card_id = cards[0]?.id ?? '') => bus.call(putCardLabel, { ...who, card_id, label_id });
  const remove = (label_id: string, version = 1) =>
    bus.call(deleteLabel, { ...order(), label_id, if_match: [version] });
  const labels = async () => (await bus.call(listLabels, { ...who, page: { limit: 100 } })).items;
  return { ...workspace, workspace, board, cards, card: cards[0] as Card, label, put, remove, labels };
};

describe('labels', () => {
  it('are made once of a command, listed in the order of their making, each once, and known in the workspace', async () => {
    const { who, order, label, labels } = await setUp();
    const request = { ...order(), body: { name: 'Bug', color: '#FF0000' } };
    const answers = await Promise.all(Array.from({ length: 10 }, () => bus.call(createLabel, request)));
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
    const bug = answers[0]?.resource;
    expect(bug).toMatchObject({ type: 'label', version: 1, name: 'Bug', color: '#ff0000' });
    const feature = await label('Feature');
    expect(await labels()).toEqual([bug, feature]);
    const first = await bus.call(listLabels, { ...who, page: { limit: 1 } });
    const cursor = first.next_cursor ?? '';
    const second = await bus.call(listLabels, { ...who, page: { limit: 1, cursor } });
    expect([first.items, second.items, second.next_cursor]).toEqual([[bug], [feature], null]);
    const other = openWorkspace(bus).who;
    expect((await bus.call(listLabels, { ...other, page: { limit: 10 } })).items).toEqual([]);
    await expect(bus.call(listLabels, { ...other, page: { limit: 1, cursor } })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('are edited like every versioned thing, and cards do not notice', async () => {
    const { order, label, put, card, read } = await setUp();
    const { id } = await label('Bug');
    await put(id);
    const patch = (version: number, body: { name?: string; color?: string }) =>
      bus.call(patchLabel, { ...order(), label_id: id, if_match: [version], body });
    const { resource } = await patch(1, { name: 'Fault', color: '#000000' });
    expect(resource).toMatchObject({ version: 2, name: 'Fault', color: '#000000' });
    expect((await patch(2, { name: 'Fault' })).resource).toEqual(resource);
    await expect(patch(1, { name: 'Late' })).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(await read(card.id)).toMatchObject({ version: 2, label_ids: [id] });
  });

  it('deleted, leave every card that carried them, archived ones too, with one version more each', async () => {
    const { order, label, put, cards, remove, read, labels } = await setUp('Second', 'Third');
    const [bug, kept] = [await label('Bug'), await label('Kept')];
    const [first, second, third] = cards as [Card, Card, Card];
    for (const card of [first, second]) await put(bug.id, card.id);
    await put(kept.id, first.id);
    await bus.call(archiveCard, { ...order(), card_id: second.id, if_match: [2] });

    await expect(remove(bug.id, 2)).rejects.toMatchObject({ code: 'precondition_failed' });
    const request = { ...order(), label_id: bug.id, if_match: [1] };
    expect(await bus.call(deleteLabel, request)).toEqual({ deleted: true });
    expect(await bus.call(deleteLabel, request), 'a repetition by the bus').toEqual({ deleted: true });
    await expect(remove(bug.id)).rejects.toMatchObject({ code: 'not_found', message: 'Label not found' });
    expect(await read(first.id)).toMatchObject({ version: 4, label_ids: [kept.id] });
    expect(await read(second.id)).toMatchObject({ version: 4, label_ids: [] });
    expect(await read(third.id)).toEqual(third);
    expect(await labels()).toEqual([kept]);
  });

  it('deleted while others put them on cards, are on no card in the end', async () => {
    const { label, put, cards, remove, read } = await setUp(...Array.from({ length: 19 }, (_, index) => `${index}`));
    const { id } = await label('Bug');
    const [removal, ...puts] = await Promise.allSettled([remove(id), ...cards.map((card) => put(id, card.id))]);
    expect(removal.status).toBe('fulfilled');
    for (const one of puts) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'not_found' });
    }
    for (const card of cards) expect((await read(card.id)).label_ids).toEqual([]);
  });
});

describe('put-card-label and delete-card-label', () => {
  it('are states to reach: a second time changes nothing', async () => {
    const { who, label, put, card, read } = await setUp();
    const { id } = await label('Bug');
    const carrying = await put(id);
    expect(carrying).toEqual({ ...card, version: 2, label_ids: [id], updated_at: carrying.updated_at });
    expect(await put(id)).toEqual(carrying);
    expect(await read(card.id)).toEqual(carrying);
    const take = () => bus.call(deleteCardLabel, { ...who, card_id: card.id, label_id: id });
    const bare = await take();
    expect(bare).toMatchObject({ version: 3, label_ids: [] });
    expect(await take()).toEqual(bare);
  });

  it('take only labels of the workspace', async () => {
    const { put, read, card } = await setUp();
    const foreign = await (await setUp()).label('Foreign');
    for (const id of [foreign.id, v7()]) {
      await expect(put(id)).rejects.toMatchObject({ code: 'not_found', message: 'Label not found' });
    }
    expect(await read(card.id)).toEqual(card);
  });

  it('by many at once keep every label once, and count a version each', async () => {
    const { label, put, card, read } = await setUp();
    const labels = await Promise.all(Array.from({ length: 20 }, (_, index) => label(`${index}`)));
    await Promise.all([...labels, ...labels].map(({ id }) => put(id)));
    const marked = await read(card.id);
    expect([...marked.label_ids].sort()).toEqual(labels.map(({ id }) => id).sort());
    expect(marked.version).toBe(21);
  });
});

describe('put-assignee and delete-assignee', () => {
  it('are states to reach: a second time changes nothing', async () => {
    const { who, card, read } = await setUp();
    const write = (contract: typeof putAssignee) =>
      bus.call(contract, { ...who, card_id: card.id, assignee_user_id: who.user_id });
    const assigned = await write(putAssignee);
    expect(assigned).toMatchObject({ version: 2, assignee_user_ids: [who.user_id] });
    expect(await write(putAssignee)).toEqual(assigned);
    const free = await write(deleteAssignee);
    expect(free).toMatchObject({ version: 3, assignee_user_ids: [] });
    expect(await write(deleteAssignee)).toEqual(free);
    expect(await read(card.id)).toEqual(free);
  });

  it('work on an archived card, and not on one of a deleted board', async () => {
    const { who, order, card, board, label } = await setUp();
    const { id: label_id } = await label('Bug');
    await bus.call(archiveCard, { ...order(), card_id: card.id, if_match: [1] });
    const assign = () => bus.call(putAssignee, { ...who, card_id: card.id, assignee_user_id: v7() });
    expect((await assign()).assignee_user_ids).toHaveLength(1);
    await bus.call(deleteBoard, { ...order(), board_id: board.id, if_match: [1] });
    await expect(assign()).rejects.toMatchObject({ code: 'conflict' });
    const mark = bus.call(putCardLabel, { ...who, card_id: card.id, label_id });
    await expect(mark).rejects.toMatchObject({ code: 'conflict' });
  });

  it('by many at once lose nobody', async () => {
    const { who, card, read } = await setUp();
    const users = Array.from({ length: 30 }, () => v7());
    const assign = (user: string) => bus.call(putAssignee, { ...who, card_id: card.id, assignee_user_id: user });
    await Promise.all(users.map(assign));
    expect([...(await read(card.id)).assignee_user_ids].sort()).toEqual(users.sort());
  });
});
