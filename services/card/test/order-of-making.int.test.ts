import {
  type Card,
  createBoard,
  createColumn,
  createComment,
  createLabel,
  createSubtask,
  listBoards,
  listColumns,
  listComments,
  listLabels,
  listSubtasks,
  putAssignee,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startFixture } from './support/fixture.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture({ instances: 2 });
const { bus } = fixture;

const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { board, columns } = await workspace.board('Doing');
  const [card] = (await workspace.cards(columns[0]?.id ?? '', 'Card')) as [Card];
  return { ...workspace, board, card };
};
type Scene = Awaited<ReturnType<typeof setUp>>;

interface Made {
  id: string;
  created_at: string;
}

const page = { limit: 100 };
const lists: [string, (of: Scene) => Promise<unknown>, (of: Scene) => Promise<{ items: Made[] }>][] = [
  [
    'comments',
    ({ order, card }) => bus.call(createComment, { ...order(), card_id: card.id, body: { body: 'Why?' } }),
    ({ who, card }) => bus.call(listComments, { ...who, card_id: card.id, page }),
  ],
  [
    'subtasks',
    ({ order, card }) => bus.call(createSubtask, { ...order(), card_id: card.id, body: { title: 'Step' } }),
    ({ who, card }) => bus.call(listSubtasks, { ...who, card_id: card.id, page }),
  ],
  [
    'labels',
    ({ order }) => bus.call(createLabel, { ...order(), body: { name: 'Bug', color: '#1d76db' } }),
    ({ who }) => bus.call(listLabels, { ...who, page }),
  ],
  [
    'boards',
    ({ order }) => bus.call(createBoard, { ...order(), body: { name: 'Board' } }),
    ({ who }) => bus.call(listBoards, { ...who, archived: false, page }),
  ],
  [
    'columns',
    ({ order, board }) => bus.call(createColumn, { ...order(), board_id: board.id, body: { name: 'Doing' } }),
    ({ who, board }) => bus.call(listColumns, { ...who, board_id: board.id, archived: false, page }),
  ],
];

describe('what is made by many at once', () => {
  it.each(lists)('%s: are listed in the order of the times that they tell', async (_, make, list) => {
    const of = await setUp();
    await Promise.all(Array.from({ length: 80 }, () => make(of)));
    const times = (await list(of)).items.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted());
  });
});

describe('what is changed by many at once', () => {
  it('is never of an earlier time at a later version', async () => {
    const { order, who, card } = await setUp();
    const comment = () => bus.call(createComment, { ...order(), card_id: card.id, body: { body: 'Why?' } });
    const assign = () => bus.call(putAssignee, { ...who, card_id: card.id, assignee_user_id: v7() });
    const [states] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, assign)),
      Promise.all(Array.from({ length: 40 }, comment)),
    ]);
    const times = states.sort((a, b) => a.version - b.version).map(({ updated_at }) => updated_at);
    expect(new Set(states.map(({ version }) => version)).size).toBe(40);
    expect(times).toEqual(times.toSorted());
  });
});
