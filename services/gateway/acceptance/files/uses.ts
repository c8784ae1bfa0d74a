import { expect } from 'vitest';
import type { Answer, Body, Client } from '../workspace.ts';

/** An answer that refuses. */
export const refused = (status: number, code: string, message?: string) => ({
  status,
  body: { error: { code, ...(message === undefined ? {} : { message }) } },
});
/** The refusal of a file that will never be of use. */
export const unusable = (message: string) => ({
  status: 422,
  body: { error: { code: 'validation_error', message, details: [{ path: ['file_id'], message }] } },
});

/** A card with a subtask, and the three ways to use a file. */
export const uses = async (client: Client, column: Body) => {
  const card = await client.createCard(column.id, 'uses files');
  const subtask = await client.data(client.post(`/cards/${card.id}/subtasks`, { body: { title: 'read it' } }));
  return {
    card,
    content: (id: string) => client.get(`/files/${id}/content`),
    cover: (id: string) => client.put(`/cards/${card.id}/cover/${id}`),
    link: (id: string) => client.put(`/subtasks/${subtask.id}/linked-file/${id}`),
  };
};

type Use = (id: string) => Promise<Answer>;
/** Holds every one of these uses of a file to one answer. */
export const expectEach = async (id: string, uses: Use[], answer: unknown) => {
  for (const use of uses) expect(await use(id)).toMatchObject(answer as object);
};
