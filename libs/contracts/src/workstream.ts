import { z } from 'zod';
import { defineInternalEvent, defineProjection, defineRequest } from './bus.ts';
import { operationsOf } from './operation.ts';
import { changed, created, listed, versioned } from './response.ts';
import { archived, archivedAt, doc, head, ordinal, shown, someOf, text, times, trimmedText, uuid } from './scalars.ts';

/** Prefix of a workspace's default workstream. */
export const mainPrefix = 'MAIN';

/** 2 to 10 characters, the first a letter, in any letter case; the parsed one is in upper case. */
export const prefix = z
  .string()
  .trim()
  .regex(/^[A-Za-z][A-Za-z0-9]{1,9}$/, 'must be 2 to 10 letters or digits, the first a letter')
  .toUpperCase()
  .meta({
    description: 'What its identifiers begin with: 2 to 10 letters or digits, the first a letter; kept in upper case.',
    examples: ['PAY'],
    // Also of a text with blanks, which are trimmed.
    pattern: '^\\s*[A-Za-z][A-Za-z0-9]{1,9}\\s*$',
  });

export const workstreamSummary = z
  .object({
    id: doc(uuid, 'Its id.'),
    name: doc(shown(120), 'What it is called.', 'Payments'),
    prefix: doc(shown(10), 'What its identifiers begin with.', 'PAY'),
  })
  .meta({ id: 'WorkstreamSummary', description: 'What a card shows of its workstream.' });
export type WorkstreamSummary = z.infer<typeof workstreamSummary>;

export const workstream = z
  .object({
    ...head('workstream'),
    name: doc(shown(120), 'What it is called.', 'Payments'),
    prefix: doc(shown(10), 'What its identifiers begin with; it never changes.', 'PAY'),
    description: doc(shown(2_000).nullable(), 'What it is for.', 'Everything that moves money.'),
    is_default: doc(z.boolean(), 'Whether it takes the cards of boards that name no workstream.', false),
    archived_at: archivedAt,
    ...times,
    adopting: doc(
      z.boolean().default(false),
      'Whether it takes cards with identifiers of their own, and issues none until it is opened.',
      false,
    ),
  })
  .meta({ id: 'Workstream', description: 'A row of identifiers: `PAY-1`, `PAY-2`, …' });
export type Workstream = z.infer<typeof workstream>;

/** A workstream as other services project it. They ask each time whether it adopts, as an old answer would be wrong. */
export const workstreamState = workstream.omit({ adopting: true });
export type WorkstreamState = z.infer<typeof workstreamState>;

const name = doc(trimmedText(120), 'What it is called.', 'Payments');
const description = doc(
  text({ max: 2000 }).nullable(),
  'What it is for; null for nothing.',
  'Everything that moves money.',
);

const adopting = doc(
  z.boolean(),
  'Whether it is to take cards with identifiers of their own, which it issues none of until it is opened.',
  true,
);

export const createWorkstreamBody = z.strictObject({
  name,
  prefix,
  description: description.optional(),
  adopting: adopting.optional(),
});

/** A workstream was created, changed or archived. */
export const workstreamChanged = defineInternalEvent('workstream.changed', 1, workstreamState);

const operation = operationsOf('identifier', 'Workstreams');

export const createWorkstream = operation('createWorkstream', 'POST /workstreams', {
  summary: 'Create a workstream',
  description:
    'Its prefix can never change, and no other workstream of the workspace can ever have it. With `adopting` it takes cards that bring their identifiers along; that needs `kanban:admin`. `MAIN`, which every workspace has, begins to adopt by the same request where the workspace never had a card: with this name and description, and until it is opened, cards that would be filed under it are refused with 409.',
  asAdmin: true,
  body: createWorkstreamBody,
  emits: ['workstream.created', 'workstream.updated'],
  reply: created(workstream, 'workstreams'),
  refusals: ['insufficient_scope', 'conflict'],
  example: { name: 'Payments', prefix: 'PAY' },
});

export const listWorkstreams = operation('listWorkstreams', 'GET /workstreams', {
  tool: { name: 'list_workstreams' },
  summary: 'List the workstreams of the workspace',
  description: 'Oldest first, `MAIN` among them.',
  query: { archived, prefix: prefix.optional().describe('Only with this prefix, in any letter case') },
  reply: listed(workstream),
});

export const getWorkstream = operation('getWorkstream', 'GET /workstreams/:workstream_id', {
  summary: 'Read a workstream',
  reply: versioned(workstream),
  callers: ['gateway', 'card'],
});

export const patchWorkstream = operation('patchWorkstream', 'PATCH /workstreams/:workstream_id', {
  summary: 'Edit the name or description of a workstream',
  description: 'Its cards show a new name at once.',
  body: someOf({ name, description }),
  emits: ['workstream.updated'],
  reply: changed(workstream),
  example: { name: 'Payments and refunds' },
});

export const archiveWorkstream = operation('archiveWorkstream', 'POST /workstreams/:workstream_id/archive', {
  summary: 'Archive a workstream',
  description: 'No card can be created in it or transferred to it any more; its cards keep their identifiers.',
  emits: ['workstream.archived'],
  reply: changed(workstream),
  refusals: ['conflict'],
});

/** Hands a workstream's event to the card service's projection before the writer is answered. */
export const projectWorkstream = defineProjection('card.project-workstream', workstreamChanged, 'identifier');

/**
 * Ends the range of a workstream for good: after the answer no number of it is issued any more. `unavailable` where the
 * epoch is over: the archive may have been lost with it.
 */
export const closeRange = defineRequest(
  'card.close-range',
  z.object({ workspace_id: uuid, workstream: workstreamState, epoch: ordinal }),
  z.object({ closed: z.literal(true) }),
  [],
  ['identifier'],
);

/**
 * Reads the workstreams of a workspace as the card service projects them, to rebuild its projection: those with ids
 * after `after` up to `through`, by id.
 */
export const readWorkstreamStates = defineRequest(
  'identifier.read-workstream-states',
  z.object({ workspace_id: uuid, after: uuid.nullable(), through: uuid.nullable() }),
  z.object({
    workstreams: z.array(workstreamState),
    /** The last one read where there are more; else null. */
    next: uuid.nullable(),
  }),
  [],
  ['card'],
);
