import { z } from 'zod';
import { operationsOf, scopes } from './operation.ts';
import { unversioned } from './response.ts';
import { atMost, doc, shown, timestamp, uuid } from './scalars.ts';

export const me = z
  .object({
    user_id: doc(uuid, 'The user whom the token stands for.'),
    workspace_id: doc(uuid, 'The workspace that it is for.'),
    scopes: doc(atMost(scopes.length, z.enum(scopes)), 'What it may do; each scope includes those before it.', [
      'kanban:read',
      'kanban:write',
    ]),
    token_expires_at: doc(
      timestamp.nullable(),
      'When it ends; null for an API key without an end.',
      '2030-01-31T17:00:00.000Z',
    ),
    api_key: doc(
      z
        .object({
          id: doc(uuid, 'Its id.'),
          name: doc(shown(100), 'Its name.', 'laptop'),
          expires_at: doc(timestamp.nullable(), 'When it ends; null for never.', null),
        })
        .nullable(),
      'The API key of the request; null for a token.',
    ),
  })
  .meta({ id: 'Me', description: 'Whom a token stands for, and what it may do.' });
export type Me = z.infer<typeof me>;

export const getMe = operationsOf('gateway', 'Me')('getMe', 'GET /me', {
  tool: { name: 'who_am_i' },
  summary: 'Read whom the token stands for',
  description: 'And what it may do, and until when.',
  reply: unversioned(me),
});
