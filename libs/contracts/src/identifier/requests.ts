import { z } from 'zod';
import { caller, defineRequest } from '../bus/request.ts';
import { timestamp, uuid, version } from '../scalars.ts';
import { workstream } from '../workstream/resource.ts';
import { identifierHistoryEntry } from './resource.ts';

/**
 * Step 2 of the allocation protocol: a number for an operation, the same one however often it is asked for.
 * `workstream_id` null means the workspace default; with `fall_back` an archived workstream gives way to the default
 * (a board's default), without it the allocation is refused (an explicit target).
 */
export const allocate = defineRequest(
  'identifier.allocate',
  caller.extend({
    operation_id: uuid,
    card_id: uuid,
    workstream_id: uuid.nullable(),
    fall_back: z.boolean(),
  }),
  z.discriminatedUnion('result', [
    z.object({ result: z.literal('allocated'), number: z.int().min(1), workstream }),
    z.object({ result: z.literal('refused'), reason: z.enum(['not_found', 'archived']) }),
  ]),
  ['invalid_request'],
  ['card'],
);
export type Allocation = z.infer<typeof allocate.reply>;

/** Step 4: the operation committed; its number is issued and the card's former one superseded. */
export const confirm = defineRequest(
  'identifier.confirm',
  z.object({ workspace_id: uuid, operation_id: uuid, card_version: version, assigned_at: timestamp }),
  z.object({ confirmed: z.literal(true) }),
  [],
  ['card'],
);
export type Confirmation = z.infer<typeof confirm.request>;

/** Which card an identifier was issued to; 404 where it was never issued or its operation has not committed. */
export const resolveIdentifier = defineRequest(
  'identifier.resolve',
  caller.extend({ identifier: z.string() }),
  z.object({ card_id: uuid }),
  ['not_found'],
);

/** Every identifier of a card, oldest first, as of the identifier that the card names as current. */
export const listIdentifiers = defineRequest(
  'identifier.list-identifiers',
  caller.extend({ card_id: uuid, current_identifier: z.string() }),
  z.array(identifierHistoryEntry),
);
