import { z } from 'zod';
import { caller, defineRequest } from './bus.ts';
import { operationsOf } from './operation.ts';
import { changed, created, deleted, listed, versioned } from './response.ts';
import { anyOf, doc, head, shown, someOf, text, timestamp, trimmedText, uuid } from './scalars.ts';

/** Most characters of a name, and of an e-mail address (RFC 5321 4.5.3.1.3). */
const [maxName, maxEmail] = [120, 254];

/** What an erased person is called in answers. It is stored nowhere. */
export const erasedName = 'somebody';

const kind = z.enum(['person', 'machine']);

export const person = z
  .object({
    ...head('person'),
    user_id: doc(uuid, 'The same: the id that stands for them wherever a user does.'),
    name: doc(
      shown(maxName).nullable(),
      'What they are called; null where nobody said it, `somebody` where it was erased.',
      'Maria Silva',
    ),
    email: doc(shown(maxEmail).nullable(), 'Their e-mail address, in small letters.', 'maria@example.com'),
    kind: doc(kind, 'A machine has API keys alone.'),
    first_seen: doc(timestamp.nullable(), 'When they came first; null for not yet.', '2030-01-02T09:30:00.000Z'),
    last_seen: doc(
      timestamp.nullable(),
      'When they came last, to ten minutes; it is no part of the version.',
      '2030-01-03T14:05:00.000Z',
    ),
    erased_at: doc(timestamp.nullable(), 'When name and e-mail were erased; null for never.', null),
  })
  .meta({ id: 'Person', description: 'Whom an id of a user stands for.' });
export type Person = z.output<typeof person>;

/** Lenient, as issuers are. */
const emailForm = /^[^\s@]+@[^\s@]+$/;
const email = text({ min: 1, max: maxEmail })
  .refine((value) => emailForm.test(value), 'must be an e-mail address')
  .toLowerCase()
  .meta({ minLength: 1, maxLength: maxEmail, pattern: emailForm.source });
const name = trimmedText(maxName);

const fields = {
  name: doc(name, 'What they are called; several may be called the same.', 'Maria Silva'),
  email: doc(email.nullable(), 'Their e-mail address, which nobody else has; null for none.', 'maria@example.com'),
  kind: doc(kind, 'Whether it is a machine. An admin alone changes it.'),
};

const operation = operationsOf('access', 'People');
const scope = 'kanban:admin';

export const addPerson = operation('addPerson', 'POST /people', {
  summary: 'Add a person',
  description:
    'For those who have not come yet, and where there is no issuer of tokens. `user_id` is made where it is left out. Somebody who is known already, or an e-mail address that another has: 409. A replay shows the person as they are now, since no name is kept in it.',
  scope,
  emits: [],
  body: z.strictObject({
    name: fields.name,
    email: fields.email.default(null),
    kind: fields.kind.default('person'),
    user_id: doc(uuid.optional(), 'The id that stands for them, as the issuer has it; default: a new one.'),
  }),
  reply: created(person, 'people'),
  refusals: ['conflict'],
  example: { name: 'Maria Silva', email: 'maria@example.com' },
});

export const listPeople = operation('listPeople', 'GET /people', {
  tool: { name: 'find_people' },
  summary: 'List the people of the workspace',
  description: 'By their ids; with `q` by what was found, and erased ones are not. Everyone in the workspace may ask.',
  filters: z.strictObject({
    q: text({ min: 1, max: 100 })
      .optional()
      .describe(
        'Only those of whose name or e-mail address some words begin with each word of this, in any letter case',
      ),
    email: text({ max: maxEmail }).toLowerCase().optional().describe('Only who has this address, in any letter case'),
    user_id: anyOf(uuid).optional().describe('Only these; at most 100'),
  }),
  reply: listed(person),
});

export const getPerson = operation('getPerson', 'GET /people/:person_id', {
  summary: 'Read a person',
  reply: versioned(person),
});

export const patchPerson = operation('patchPerson', 'PATCH /people/:person_id', {
  summary: 'Edit a person',
  description:
    'Yourself, or with `kanban:admin` anybody; for others: 403. An e-mail address that another has: 409. Claims of a token change it again when they change.',
  emits: [],
  asAdmin: true,
  body: someOf(fields),
  reply: changed(person),
  refusals: ['conflict', 'insufficient_scope'],
  example: { name: 'Maria Santos' },
});

export const erasePerson = operation('erasePerson', 'DELETE /people/:person_id', {
  summary: 'Erase name and e-mail of a person',
  description:
    'For good, also where the database falls back. The id stays, and is called `somebody`; claims of a token name it no more. It needs no version; again: 204.',
  scope,
  emits: [],
  reply: deleted(),
});

/** Somebody who came with a valid credential. */
export const visitor = caller.extend({
  /** Claims of the token; null for those that it lacks, and of an API key. */
  name: name.nullable(),
  email: email.nullable(),
  /** When the token was issued, where it says so: an earlier one changes no claim of a later one. */
  issued_at: timestamp.nullable(),
  at: timestamp,
});
export type Visitor = z.output<typeof visitor>;

/** Most visitors of one note. */
export const visitorsAtOnce = 500;

/** Notes who came, and what their tokens call them. */
export const notePeople = defineRequest(
  'access.note-people',
  z.object({ people: z.array(visitor).max(visitorsAtOnce) }),
  z.object({}),
);
