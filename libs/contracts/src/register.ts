import { z } from 'zod';
import { defineRequest } from './bus.ts';
import { maxIdentifier } from './card-identifier.ts';
import { cardSummary } from './dependency.ts';
import { issuedIdentifier } from './identifier.ts';
import { operationsOf } from './operation.ts';
import { listed } from './response.ts';
import { doc, shown, text, timestamp, uuid } from './scalars.ts';

/** One line of a workstream's register (CONTRACT 4.7). */
export const registerEntry = z
  .object({
    identifier: doc(shown(maxIdentifier), 'The identifier.', 'PAY-7'),
    number: doc(z.int().min(1), 'Its number.', 7),
    is_current: doc(z.boolean(), 'Whether its card got no other one since.', true),
    current_identifier: doc(
      shown(maxIdentifier).nullable(),
      'What its card is called now; null without a card.',
      'PAY-7',
    ),
    card: doc(cardSummary.nullable(), 'Its card; null where that is deleted, or the caller does not see it.'),
    assigned_at: doc(
      timestamp.nullable(),
      'When its card got it; null of one that it had before it was adopted.',
      '2030-01-02T09:30:00.000Z',
    ),
    superseded_at: doc(
      timestamp.nullable(),
      'When its card got the next one; null for the current one, and where the next one was adopted.',
      null,
    ),
    adopted: doc(z.boolean(), 'Whether the card brought it along.', false),
  })
  .meta({ id: 'RegisterEntry', description: 'An identifier of a workstream, and its card.' });
export type RegisterEntry = z.infer<typeof registerEntry>;

export const listWorkstreamIdentifiers = operationsOf('identifier', 'Workstreams')(
  'listWorkstreamIdentifiers',
  'GET /workstreams/:workstream_id/identifiers',
  {
    summary: 'List every identifier that a workstream ever issued or adopted',
    description:
      'In the order of numbers; those of cards that are deleted or that the caller does not see have no card.',
    query: {
      current: z
        .boolean()
        .optional()
        .describe('true: only those that their cards got no other one after; false: only those that they did'),
    },
    reply: listed(registerEntry),
  },
);

/** Most identifiers of one `card.list-unrecorded-of-workspace`. */
export const unrecordedAtOnce = 500;

/**
 * Reads identifiers of a workspace that the ledger may not have yet, by card. `after` is the last one that the caller
 * has.
 */
export const listUnrecordedOfWorkspace = defineRequest(
  'card.list-unrecorded-of-workspace',
  z.object({
    workspace_id: uuid,
    after: z.object({ card_id: uuid, identifier: text({ max: maxIdentifier }) }).optional(),
  }),
  z.object({ unrecorded: z.array(issuedIdentifier).max(unrecordedAtOnce) }),
  [],
  ['identifier'],
);
