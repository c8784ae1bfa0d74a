import { z } from 'zod';
import { defineEvent, defineRequest } from './bus.ts';
import { operation } from './operation.ts';
import { changed, created, listed, versioned } from './response.ts';
import { archived, notEmpty, text, timestamp, trimmedText, uuid, version } from './scalars.ts';

/** Prefix of a workspace's default workstream. */
export const mainPrefix = 'MAIN';

/** 2 to 10 characters, first a letter; any letter case on input, kept in upper case. */
export const prefix = z
  .string()
  .trim()
  .regex(/^[A-Za-z][A-Za-z0-9]{1,9}$/, 'must be 2 to 10 letters or digits, the first a letter')
  .toUpperCase();

/** What a card shows of its workstream. */
export const workstreamSummary = z
  .object({ id: uuid, name: z.string(), prefix: z.string() })
  .meta({ id: 'WorkstreamSummary' });
export type WorkstreamSummary = z.infer<typeof workstreamSummary>;

export const workstream = z
  .object({
    id: uuid,
    type: z.literal('workstream'),
    version,
    name: z.string(),
    prefix: z.string(),
    description: z.string().nullable(),
    is_default: z.boolean(),
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Workstream' });
export type Workstream = z.infer<typeof workstream>;

const name = trimmedText(120);
const description = text({ max: 2000 }).nullable();

export const createWorkstreamBody = z.strictObject({ name, prefix, description: description.optional() });

export const patchWorkstreamBody = z
  .strictObject({ name: name.optional(), description: description.optional() })
  .refine(...notEmpty);

/** A workstream was made, edited or archived. */
export const workstreamChanged = defineEvent('workstream.changed', 1, workstream);

export const createWorkstream = operation({
  id: 'createWorkstream',
  service: 'identifier',
  method: 'POST',
  path: '/workstreams',
  tag: 'Workstreams',
  summary: 'Create a workstream',
  description: 'Its prefix can never change, and no other workstream of the workspace can ever have it.',
  requires: ['Idempotency-Key'],
  body: createWorkstreamBody,
  reply: created(workstream, 'workstreams'),
  refusals: ['conflict'],
  example: { name: 'Payments', prefix: 'PAY' },
});

export const listWorkstreams = operation({
  id: 'listWorkstreams',
  service: 'identifier',
  method: 'GET',
  path: '/workstreams',
  tag: 'Workstreams',
  summary: 'List the workstreams of the workspace',
  query: { archived },
  reply: listed(workstream),
});

export const getWorkstream = operation({
  id: 'getWorkstream',
  service: 'identifier',
  method: 'GET',
  path: '/workstreams/:workstream_id',
  tag: 'Workstreams',
  summary: 'Read a workstream',
  reply: versioned(workstream),
  callers: ['gateway', 'card'],
});

export const patchWorkstream = operation({
  id: 'patchWorkstream',
  service: 'identifier',
  method: 'PATCH',
  path: '/workstreams/:workstream_id',
  tag: 'Workstreams',
  summary: 'Edit the name or description of a workstream',
  requires: ['If-Match'],
  body: patchWorkstreamBody,
  reply: changed(workstream),
  example: { name: 'Payments and refunds' },
});

export const archiveWorkstream = operation({
  id: 'archiveWorkstream',
  service: 'identifier',
  method: 'POST',
  path: '/workstreams/:workstream_id/archive',
  tag: 'Workstreams',
  summary: 'Archive a workstream',
  description: 'No card can be created in it or transferred to it any more; its cards keep their identifiers.',
  requires: ['If-Match', 'Idempotency-Key'],
  reply: changed(workstream),
  refusals: ['conflict'],
});

/**
 * Hands a workstream's event to the card service's projection before the writer is answered, so that the next read of
 * a card shows it (architecture, "Read your writes, across services"). JetStream delivers the same event again.
 */
export const projectWorkstream = defineRequest(
  'card.project-workstream',
  workstreamChanged.schema,
  z.object({ applied: z.boolean() }),
  [],
  ['identifier'],
);

/** Ends the range of a workstream for good: once it is answered, no number of it is issued any more. */
export const closeRange = defineRequest(
  'card.close-range',
  z.object({ workspace_id: uuid, workstream }),
  z.object({ closed: z.literal(true) }),
  [],
  ['identifier'],
);
