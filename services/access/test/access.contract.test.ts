import * as contracts from '@cardinal/contracts';
import { type Caller, type Credential, hashOf, maxKeys } from '@cardinal/contracts';
import { openDatabase } from '@cardinal/db';
import { aCaller, aCommand, atEndOfFile, type Exercises, testRequests } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { startAccess } from './support/access.ts';

const { bus, urls } = await startAccess();
const db = openDatabase({ url: urls.access, name: 'test', poolSize: 2 });
atEndOfFile(() => db.close());

const credential: Credential = { scope: 'kanban:admin', api_key: null, has_issuer: true };
const withKey = { ...credential, api_key: { id: v7(), expires_at: null } };
const body = { name: 'laptop', scope: 'kanban:write' };

const aRequest = () => ({ ...aCaller(), command: aCommand(), credential, body });
const aKey = async () => {
  const request = aRequest();
  const { resource } = await bus.call(contracts.createApiKey, request as never);
  const { command: _, body: __, ...rest } = request;
  return { request: { ...rest, api_key_id: resource.id }, ...resource, workspace_id: request.workspace_id };
};

/** The answer to a repetition: the text is gone. */
const withoutText = ({ resource }: { resource: object }) => ({ resource: { ...resource, key: null }, replayed: true });

const person = { name: 'Maria Silva', email: `maria.${v7()}@example.com` };
const aPerson = async (by: Caller = aCaller()) => {
  const request = { ...by, command: aCommand(), body: { ...person, email: `maria.${v7()}@example.com` } };
  const { resource } = await bus.call(contracts.addPerson, request as never);
  return { request: { ...by, person_id: resource.id }, ...resource };
};

/** A user with as many active keys as a user may have. */
const crowded = async () => {
  const request = aRequest();
  await db.statement((tx) =>
    sql`insert into api_keys (workspace_id, id, created_at, updated_at, name, user_id, scope, created_by, epoch)
      select ${request.workspace_id}, gen_random_uuid(), now(), now(), 'many', ${request.user_id}, 'kanban:read',
        ${request.user_id}, 1 from generate_series(1, ${maxKeys.user}::integer)`.execute(tx),
  );
  return request;
};

const exercises: Exercises = [
  [
    contracts.createApiKey,
    async () => {
      const request = aRequest();
      const refused = {
        conflict: await crowded(),
        forbidden: { ...request, command: aCommand(), credential: withKey },
        insufficient_scope: { ...request, command: aCommand(), credential: { ...credential, scope: 'kanban:read' } },
        validation_error: {
          ...request,
          command: aCommand(),
          body: { ...body, expires_at: '2020-01-01T00:00:00.000Z' },
        },
      };
      return { request, refused, again: withoutText };
    },
  ],
  [
    contracts.listApiKeys,
    async () => {
      const { api_key_id: _, ...request } = (await aKey()).request;
      const insufficient_scope = {
        ...request,
        credential: { ...credential, scope: 'kanban:read' },
        filters: { user_id: v7() },
        page: { limit: 10 },
      };
      return { request: { ...request, filters: {}, page: { limit: 10 } }, refused: { insufficient_scope } };
    },
  ],
  [contracts.getApiKey, async () => ({ request: (await aKey()).request })],
  [
    contracts.rotateApiKey,
    async () => {
      const request = { ...(await aKey()).request, command: aCommand(), body: { grace_seconds: 60 } };
      const revoked = (await aKey()).request;
      await bus.call(contracts.revokeApiKey, revoked);
      const refused = {
        conflict: { ...revoked, command: aCommand(), body: {} },
        forbidden: { ...request, command: aCommand(), credential: withKey },
      };
      return { request, refused, again: withoutText };
    },
  ],
  [
    contracts.revokeApiKey,
    async () => {
      const { request } = await aKey();
      return { request, refused: { forbidden: { ...request, credential: withKey } } };
    },
  ],
  [
    contracts.revokeApiKeysOfUser,
    async () => {
      const { request, user_id } = await aKey();
      const { api_key_id: _, ...rest } = request;
      const asked = { ...rest, command: aCommand(), body: { user_id } };
      return { request: asked, refused: { forbidden: { ...asked, command: aCommand(), credential: withKey } } };
    },
  ],
  [
    contracts.createFirstApiKey,
    async () => {
      const request = { ...aCaller(), body };
      const validation_error = { ...request, body: { ...body, expires_at: '2020-01-01T00:00:00.000Z' } };
      // It has no command: each makes a further key.
      return { request, refused: { validation_error }, again: (_first: object, second: object) => second };
    },
  ],
  [
    contracts.verifyApiKeys,
    async () => {
      const { workspace_id, key } = await aKey();
      const texts = [key ?? '', 'unknown'].map((text) => ({ workspace_id, hash: hashOf(text) }));
      return { request: { texts } };
    },
  ],
  [
    contracts.noteUseOfApiKeys,
    async () => {
      const { workspace_id, id } = await aKey();
      return { request: { used: [{ workspace_id, id, at: new Date().toISOString() }] } };
    },
  ],
  [
    contracts.addPerson,
    async () => {
      const known = await aPerson();
      const { person_id: _, ...by } = known.request;
      const request = { ...by, command: aCommand(), body: person };
      const conflict = { ...by, command: aCommand(), body: { ...person, email: known.email } };
      return { request, refused: { conflict } };
    },
  ],
  [
    contracts.listPeople,
    async () => {
      const { person_id: _, ...by } = (await aPerson()).request;
      return { request: { ...by, filters: {}, page: { limit: 10 } } };
    },
  ],
  [contracts.getPerson, async () => ({ request: (await aPerson()).request })],
  [
    contracts.patchPerson,
    async () => {
      const by = aCaller();
      await bus.call(contracts.addPerson, {
        ...by,
        command: aCommand(),
        body: { ...person, user_id: by.user_id },
      } as never);
      const { email, request: other } = await aPerson(by);
      const found = { ...by, person_id: by.user_id, command: aCommand(), if_match: [1], is_admin: false };
      const request = { ...found, body: { name: 'Maria Santos' } };
      const refused = {
        conflict: { ...request, command: aCommand(), body: { email } },
        insufficient_scope: { ...request, ...other, command: aCommand() },
      };
      return { request, refused };
    },
  ],
  [contracts.erasePerson, async () => ({ request: (await aPerson()).request })],
  [
    contracts.notePeople,
    async () => ({
      request: {
        people: [{ ...aCaller(), ...person, issued_at: new Date().toISOString(), at: new Date().toISOString() }],
      },
    }),
  ],
];

/** Replaces the values that differ each time. */
const fixed = (text: string) =>
  text
    .replace(/cardinal_\w{71}/g, `cardinal_${'0'.repeat(71)}`)
    .replace(/("hash": ?")[\w-]{43}/g, (_, name) => name + '0'.repeat(43));

testRequests({ service: 'access', bus, exercises, fixed });
