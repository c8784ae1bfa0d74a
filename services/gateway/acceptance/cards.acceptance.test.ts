import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Body, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();
const titles = (cards: Body[]) => cards.map((card) => card.title);

describe('a card', () => {
  it('is created above all others with ETag and Location and read back the same', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    await client.createCard(column.id, 'older');
    const answer = await client.post(`/columns/${column.id}/cards`, {
      body: { title: 'newer', description: 'text', due_date: '2031-05-06T07:08:09Z', priority: 'urgent' },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('etag')).toBe('"1"');
    const { id } = answer.body.data;
    expect(answer.headers.get('location')).toBe(`/api/kanban/v1/cards/${id}`);
    expect(answer.body.data).toEqual({
      id,
      type: 'card',
      version: 1,
      board_id: board.id,
      column_id: column.id,
      title: 'newer',
      description: 'text',
      position: expect.any(Number),
      due_date: '2031-05-06T07:08:09.000Z',
      priority: 'urgent',
      completed_at: null,
      archived_at: null,
      created_by: client.userId,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: answer.body.data.created_at,
      assignee_user_ids: [],
      label_ids: [],
      subtask_total: 0,
      subtask_completed: 0,
      comment_count: 0,
      identifier: 'MAIN-2',
      workstream: { id: expect.any(String), name: 'Main', prefix: 'MAIN' },
    });
    const read = await client.get(`/cards/${id}`);
    expect(read.body).toEqual(answer.body);
    expect(read.headers.get('etag')).toBe('"1"');
    expect(titles(await client.all(`/boards/${board.id}/cards`))).toEqual(['newer', 'older']);
  });
});
