import { z } from 'zod';
import { caller, defineRequest, defineSignal } from './bus.ts';
import { operationsOf, scopes } from './operation.ts';
import { answered, created, deleted, listed, unversioned } from './response.ts';
import { doc, shown, timestamp, trimmedText, uuid } from './scalars.ts';

/** Most characters of a key's name. */
const maxName = 100;
/** Bytes of the SHA-256 of a key's text, as base64url. */
const hash = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** Active keys of a user, and of a workspace. */
export const maxKeys = { user: 100, workspace: 10_000 } as const;
/** Days for which a key is valid where its maker does not say. */
export const usualKeyDays = 90;
/** Seconds for which the former text may be valid after a rotation. */
const maxGrace = 86_400;

const fields = {
  id: doc(uuid, 'Its id.'),
  name: doc(shown(maxName), 'What it is for.', 'laptop'),
  user_id: doc(uuid, 'The user whom it stands for.'),
  scope: doc(z.enum(scopes), 'What it may do; each scope includes those before it.', 'kanban:write'),
  state: doc(z.enum(['active', 'expired', 'revoked']), 'Whether it may be used.', 'active'),
  created_at: doc(timestamp, 'When it was created.', '2030-01-02T09:30:00.000Z'),
  created_by: doc(uuid, 'The user who created it.'),
  created_with: doc(uuid.nullable(), 'The key that it was created with; null for a token.', null),
  expires_at: doc(timestamp.nullable(), 'When it ends; null for never.', '2030-04-02T09:30:00.000Z'),
  revoked_at: doc(timestamp.nullable(), 'When it was revoked.', null),
  last_used_at: doc(timestamp.nullable(), 'When it was last used, to the minute.', null),
};

export const apiKey = z.object(fields).meta({ id: 'ApiKey', description: 'A credential that stays.' });
export type ApiKey = z.output<typeof apiKey>;

export const apiKeyWithText = apiKey
  .extend({
    key: doc(shown(100).nullable(), 'Its text, this once; null in a replay of the request, since nobody keeps it.'),
  })
  .meta({ id: 'ApiKeyWithText', description: 'A credential that stays, with its text.' });
export type ApiKeyWithText = z.output<typeof apiKeyWithText>;

/** What a new key is given, by whoever makes it. */
const given = {
  name: doc(trimmedText(maxName), 'What it is for.', 'laptop'),
  scope: doc(z.enum(scopes), 'At most your own.', 'kanban:write'),
  expires_at: doc(
    timestamp.nullable().optional(),
    'When it ends: in the future, and at most 366 days away; default: in 90 days. The operator may set another bound, or none: then null is for never.',
  ),
};

const operation = operationsOf('access', 'API keys');
const scope = 'kanban:read';

export const createApiKey = operation('createApiKey', 'POST /api-keys', {
  summary: 'Create an API key',
  description:
    'For scripts, CI jobs and assistants: a credential that stays. Its text is in the answer, once. `user_id` of another user, such as a machine, needs `kanban:admin`. A user has 100 active ones at most, a workspace 10,000: 409 above. Where the operator has an issuer, a key makes no other: 403.',
  scope,
  emits: [],
  asCredential: true,
  body: z.strictObject({ ...given, user_id: doc(uuid.optional(), 'The user whom it stands for; default: yourself.') }),
  reply: created(apiKeyWithText, 'api-keys'),
  refusals: ['conflict', 'forbidden', 'insufficient_scope', 'validation_error'],
  example: { name: 'laptop', scope: 'kanban:write' },
});

export const listApiKeys = operation('listApiKeys', 'GET /api-keys', {
  summary: 'List API keys',
  description:
    'Oldest first, your own; with `kanban:admin` all, or those of `user_id`. What ended is kept for 90 days.',
  asCredential: true,
  filters: z.strictObject({ user_id: uuid.optional().describe('Only of this user') }),
  reply: listed(apiKey),
  refusals: ['insufficient_scope'],
});

export const getApiKey = operation('getApiKey', 'GET /api-keys/:api_key_id', {
  summary: 'Read an API key',
  description: 'Without its text, which nobody keeps. The key of another user is 404 without `kanban:admin`.',
  asCredential: true,
  reply: unversioned(apiKey),
});

export const rotateApiKey = operation('rotateApiKey', 'POST /api-keys/:api_key_id/rotate', {
  summary: 'Give an API key a new text',
  description: 'The answer has it, once. The former one is valid for `grace_seconds` more; one before that no more.',
  scope,
  emits: [],
  asCredential: true,
  requires: ['Idempotency-Key'],
  body: z.strictObject({
    grace_seconds: doc(z.int().min(0).max(maxGrace).default(0), 'Seconds for which the former text stays valid.', 3600),
  }),
  reply: answered(apiKeyWithText),
  refusals: ['conflict', 'forbidden'],
  example: { grace_seconds: 3600 },
});

export const revokeApiKey = operation('revokeApiKey', 'DELETE /api-keys/:api_key_id', {
  summary: 'Revoke an API key',
  description: 'It ends everywhere within a second. It needs no version: a leak does not wait for one.',
  scope,
  emits: [],
  asCredential: true,
  reply: deleted(),
  refusals: ['forbidden'],
});

export const revokeApiKeysOfUser = operation('revokeApiKeysOfUser', 'POST /api-keys/revoke', {
  summary: 'Revoke all API keys of a user',
  description:
    'For somebody who left. Repeat it if `revoked` is not what you expect: keys that are created meanwhile stay.',
  scope: 'kanban:admin',
  emits: [],
  asCredential: true,
  requires: ['Idempotency-Key'],
  body: z.strictObject({ user_id: doc(uuid, 'The user.') }),
  reply: answered(
    z
      .object({ revoked: doc(z.int().min(0), 'Keys that were active.', 2) })
      .meta({ id: 'RevokedApiKeys', description: 'How many keys were revoked.' }),
  ),
  refusals: ['forbidden'],
  example: { user_id: '0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b' },
});

/** Creates a key for the holder of OPERATOR_KEY: for any user of any workspace. */
export const createFirstApiKey = defineRequest(
  'access.create-first-api-key',
  caller.extend({ body: z.strictObject(given) }),
  apiKeyWithText,
  ['validation_error'],
);

/** What a key may do. The gateway keeps it for a while. */
export const verifiedKey = z.object({
  id: uuid,
  user_id: uuid,
  name: z.string(),
  scope: z.enum(scopes),
  expires_at: timestamp.nullable(),
});

export type VerifiedKey = z.output<typeof verifiedKey>;

/** Most texts that are verified at once. */
const verifiedAtOnce = 500;

/** Finds keys by the SHA-256 of their texts; null for one that is unknown, expired or revoked. */
export const verifyApiKeys = defineRequest(
  'access.verify-api-keys',
  z.object({ texts: z.array(z.object({ workspace_id: uuid, hash })).max(verifiedAtOnce) }),
  z.object({ keys: z.array(verifiedKey.nullable()) }),
);

/** Notes that keys were used. */
export const noteUseOfApiKeys = defineRequest(
  'access.note-use-of-api-keys',
  z.object({ used: z.array(z.object({ workspace_id: uuid, id: uuid, at: timestamp })).max(verifiedAtOnce) }),
  z.object({}),
);

/** Keys ended before their time. Gateways forget them, and end their streams and sessions. */
export const apiKeysEnded = defineSignal(
  'access.api-keys-ended',
  z.object({ keys: z.array(z.object({ workspace_id: uuid, id: uuid })).max(maxKeys.user) }),
  { from: ['access'], to: ['gateway'], each: 'process' },
);
