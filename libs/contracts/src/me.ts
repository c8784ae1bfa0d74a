import { z } from 'zod';
import { operationsOf, scopes } from './operation.ts';
import { unversioned } from './response.ts';
import { atMost, doc, timestamp, uuid } from './scalars.ts';

export const me = z
  .object({
    user_id: doc(uuid, 'The user whom the token stands for.'),
    workspace_id: doc(uuid, 'The workspace that it is for.'),
    scopes: doc(atMost(scopes.length, z.enum(scopes)), 'What it may do; each scope includes those before it.', [
      'kanban:read',
      'kanban:write',
    ]),
    token_expires_at: doc(timestamp, 'When it ends.', '2030-01-31T17:00:00.000Z'),
  })
  .meta({ id: 'Me', description: 'Whom a token stands for, and what it may do.' });
export type Me = z.infer<typeof me>;

export const getMe = operationsOf('gateway', 'Me')('getMe', 'GET /me', {
  tool: { name: 'who_am_i' },
  summary: 'Read whom the token stands for',
  description: 'And what it may do, and until when.',
  reply: unversioned(me),
});
