import { type SharedStack, sharedStack } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { type Card, CardinalError, createClient } from '../src/index.ts';

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

const workspace = crypto.randomUUID();
const userOf = async (user: string = crypto.randomUUID()) => ({
  user,
  client: createClient({ baseUrl: stack.baseUrl, token: await stack.token({ workspace, user }) }),
});
type Editor = Awaited<ReturnType<typeof userOf>>;

const cardOf = async ({ client }: Editor): Promise<Card> => {
  const board = await client.boards.create({ name: 'Busy' });
  const column = await client.columns.create(board.id, { name: 'To do' });
  return client.cards.create(column.id, { title: 'Refund twice' });
};

/** Merges a patch; on a busy machine the log may take longer than a client waits for it. */
const merge = async ({ client }: Editor, card: Card, patch: Parameters<typeof client.cards.update>[1]) => {
  for (;;) {
    try {
      return await client.cards.update(card, patch, { merge: true });
    } catch (error) {
      const isStale = error instanceof CardinalError && error.code === 'precondition_failed';
      if (!isStale || error.details.complete) throw error;
    }
  }
};

it('has sixteen editors of different fields of a card all arrive', async () => {
  const editors = await Promise.all(Array.from({ length: 16 }, () => userOf()));
  const [first] = editors as [Editor];
  const card = await cardOf(first);
  const pay = await first.client.workstreams.create({ name: 'Payments', prefix: 'PAY' });
  const labels = await Promise.all(['a', 'b', 'c', 'd'].map((name) => first.client.labels.create({ name })));
  const edits: ((editor: Editor) => Promise<unknown>)[] = [
    (editor) => merge(editor, card, { title: 'Refund once' }),
    (editor) => merge(editor, card, { description: 'It was paid twice.' }),
    (editor) => merge(editor, card, { due_date: '2030-01-01T17:00:00Z' }),
    (editor) => merge(editor, card, { priority: 'urgent' }),
    (editor) => merge(editor, card, { completed: true }),
    (editor) => merge(editor, card, { workstream_id: pay.id }),
    ...labels.map(
      ({ id }) =>
        ({ client }: Editor) =>
          client.cards.addLabel(card.id, id),
    ),
    ...['1', '2', '3'].map(
      (title) =>
        ({ client }: Editor) =>
          client.subtasks.create(card.id, { title }),
    ),
    ...['4', '5', '6'].map(
      (body) =>
        ({ client }: Editor) =>
          client.comments.create(card.id, { body }),
    ),
  ];
  await Promise.all(edits.map((edit, n) => edit(editors[n] as Editor)));
  expect(await first.client.cards.get(card.id)).toMatchObject({
    version: 17,
    title: 'Refund once',
    description: 'It was paid twice.',
    priority: 'urgent',
    identifier: 'PAY-1',
    label_ids: expect.arrayContaining(labels.map(({ id }) => id)),
    subtask_total: 3,
    comment_count: 3,
  });
});

it('has one of sixteen editors of the same field arrive, and names that one to the others', async () => {
  const editors = await Promise.all(Array.from({ length: 16 }, () => userOf()));
  const card = await cardOf(editors[0] as Editor);
  const ends = await Promise.allSettled(editors.map((editor) => merge(editor, card, { title: `of ${editor.user}` })));
  const done = ends.flatMap((end, n) => (end.status === 'fulfilled' ? [editors[n]?.user] : []));
  expect(done).toHaveLength(1);
  for (const end of ends) {
    if (end.status === 'fulfilled') continue;
    expect(end.reason).toMatchObject({
      code: 'precondition_failed',
      details: { changes: [{ version: 2, user_id: done[0], changed: ['title'] }], complete: true, patched: ['title'] },
    });
  }
});
