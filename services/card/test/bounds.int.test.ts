import {
  type Card,
  createColumn,
  createLabel,
  deleteAssignee,
  deleteBoardMember,
  listBoardMembers,
  putAssignee,
  putBoardMember,
  putCardLabel,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { fillBoard, fillCard, fillWithColumns } from './support/bulk-cards.ts';
import { startFixture } from './support/fixture.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture({ instances: 2 });
const { bus } = fixture;

const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { board, columns } = await workspace.board('Doing');
  const [card] = (await workspace.cards(columns[0]?.id ?? '', 'Card')) as [Card];
  return { ...workspace, board, card, on: { ...workspace.who, board_id: board.id, card_id: card.id } };
};

/** Sends requests at once, of which one finds room; the others are refused with this message. */
const oneFindsRoom = async (message: string, requests: (() => Promise<unknown>)[]) => {
  const answers = await Promise.allSettled(requests.map((request) => request()));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'conflict', message });
  }
};
const ten = <Result>(make: (index: number) => Result) => Array.from({ length: 10 }, (_, index) => make(index));

describe('many at once find no more room than there is', () => {
  it('for 100 assignees on a card; those that are there may be put again, and one that goes makes room', async () => {
    const { who, card, on, read } = await setUp();
    await fillCard(fixture, on, 'assignee_user_ids', 99);
    const assign = (user: string) => bus.call(putAssignee, { ...who, card_id: card.id, assignee_user_id: user });
    await oneFindsRoom(
      'There are at most 100 assignees on a card',
      ten(() => () => assign(v7())),
    );
    const full = await read(card.id);
    expect(full.assignee_user_ids).toHaveLength(100);
    const [first = ''] = full.assignee_user_ids;
    expect(await assign(first)).toEqual(full);
    await bus.call(deleteAssignee, { ...who, card_id: card.id, assignee_user_id: first });
    expect((await assign(v7())).assignee_user_ids).toHaveLength(100);
  });

  it('for 100 labels on a card', async () => {
    const { who, order, card, on, read } = await setUp();
    await fillCard(fixture, on, 'label_ids', 99);
    const labels = await Promise.all(
      ten((index) =>
        bus.call(createLabel, { ...order(), body: { name: `${index}` } }).then(({ resource }) => resource),
      ),
    );
    const put = (label_id: string) => bus.call(putCardLabel, { ...who, card_id: card.id, label_id });
    await oneFindsRoom(
      'There are at most 100 labels on a card',
      labels.map(
        ({ id }) =>
          () =>
            put(id),
      ),
    );
    const full = await read(card.id);
    expect(await put(full.label_ids[99] as string)).toEqual(full);
  });

  it('for 200 columns on a board, archived ones counted', async () => {
    const { order, board, on } = await setUp();
    await fillWithColumns(fixture, on, 198);
    const make = () => bus.call(createColumn, { ...order(), board_id: board.id, body: { name: 'One more' } });
    await oneFindsRoom(
      'There are at most 200 columns on a board',
      ten(() => make),
    );
  });

  it('for 1,000 members of a board; one who is there may be put again, in another role too', async () => {
    const { who, on } = await setUp();
    await fillBoard(fixture, on, 999);
    const of = { ...who, board_id: on.board_id };
    const put = (member_user_id: string, body = {}) => bus.call(putBoardMember, { ...of, member_user_id, body });
    await oneFindsRoom(
      'There are at most 1000 members of a board',
      ten(() => () => put(v7())),
    );
    const { items } = await bus.call(listBoardMembers, { ...of, page: { limit: 1 } });
    const one = items[0]?.user_id ?? '';
    expect(await put(one, { role: 'owner' })).toEqual({ ...items[0], role: 'owner' });
    await bus.call(deleteBoardMember, { ...of, member_user_id: one });
    expect(await put(v7())).toMatchObject({ role: 'member' });
  });
});
