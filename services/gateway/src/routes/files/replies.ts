import { cover, dataOf } from '@cardinal/contracts';
import type { z } from 'zod';
import type { Reply } from '../../endpoint/replies.ts';

/** 302 to the bytes. */
export const redirected: Reply<{ url: string }> = {
  status: 302,
  isConditional: false,
  headers: ['Location'],
  schema: undefined,
  send: (_request, reply, { url }) =>
    reply.code(302).header('location', url).header('cache-control', 'no-store').send(),
};

/** 200 with a cover, or 204 where there is none (specification, "Card cover"). */
export const coverOrNothing: Reply<{ cover: z.output<typeof cover> | null }> = {
  status: 200,
  isConditional: false,
  isOptional: true,
  headers: [],
  schema: dataOf(cover),
  send: (_request, reply, answer) =>
    answer.cover === null ? reply.code(204).send() : reply.send({ data: answer.cover }),
};
