import { z } from 'zod';
import { caller, defineRequest } from './bus.ts';
import { card } from './card.ts';
import { identifierPattern, maxIdentifier } from './card-identifier.ts';
import { operationsOf } from './operation.ts';
import { listed, unversioned } from './response.ts';
import { doc, ordinal, shown, timestamp, uuid, version } from './scalars.ts';
import { workstreamState, workstreamSummary } from './workstream.ts';

export const cardReference = z
  .object({
    board_name: doc(shown(120), 'What its board is called.', 'Payments'),
    board_archived_at: doc(timestamp.nullable(), 'When its board was archived; null while it is active.', null),
    board_deleted_at: doc(timestamp.nullable(), 'When its board was deleted; null while it is there.', null),
    deleted_at: doc(timestamp.nullable(), 'Always null: a deleted card is not found.', null),
    dependency_count: doc(z.int().min(0), 'How many cards it waits for, those too that you do not see.', 1),
    dependent_count: doc(z.int().min(0), 'How many cards wait for it, those too that you do not see.', 0),
  })
  .meta({ id: 'CardReference', description: 'What a look-up returns beside the card.' });

/** The result of a lookup by identifier (CONTRACT 4.3). */
export const cardResolvedView = z
  .object({
    card,
    reference: cardReference,
    resolved_identifier: doc(shown(maxIdentifier), 'The identifier that was asked for, as it was spelled.', 'OPS-3'),
    is_alias: doc(z.boolean(), 'Whether the card has another identifier now.', true),
    current_identifier: doc(shown(maxIdentifier), 'The identifier that the card has now.', 'PAY-7'),
  })
  .meta({ id: 'CardLookup', description: 'A card that was found by an identifier.' });

/** One line of a card's identifier history, oldest first (CONTRACT 4.4). */
export const identifierHistoryEntry = z
  .object({
    identifier: doc(shown(maxIdentifier), 'The identifier.', 'PAY-7'),
    workstream: workstreamSummary,
    is_current: doc(z.boolean(), 'Whether the card has it now.', true),
    assigned_at: doc(
      timestamp.nullable(),
      'When the card got it; null of one that it had before it was adopted.',
      '2030-01-02T09:30:00.000Z',
    ),
    superseded_at: doc(
      timestamp.nullable(),
      'When the card got the next one; null for the present one, and where the next one was adopted.',
      null,
    ),
    assigned_by: doc(uuid, 'The user who created, transferred or adopted the card.'),
    adopted: doc(z.boolean().default(false), 'Whether the card brought it along.', false),
  })
  .meta({ id: 'IdentifierHistoryEntry', description: 'An identifier that a card has or had.' });
export type IdentifierHistoryEntry = z.infer<typeof identifierHistoryEntry>;

/**
 * The card service knows current identifiers and those on their way to the ledger, and asks the ledger for the others.
 */
export const getCardByIdentifier = operationsOf('card', 'Identifiers')(
  'getCardByIdentifier',
  'GET /cards/by-identifier/:identifier',
  {
    params: { identifier: doc(z.string(), 'Such as `PAY-7`, in any letter case.', 'PAY-7') },
    tool: { name: 'resolve_identifier' },
    summary: 'Find a card by an identifier that it has or ever had',
    description: 'In any letter case. `is_alias` and `current_identifier` show how to update a stale reference.',
    reply: unversioned(cardResolvedView),
    refusals: ['not_found'],
  },
);

/**
 * Asks the card service whether the caller sees the card, for its current identifier, and for those on their way to the
 * ledger.
 */
export const listIdentifiers = operationsOf('identifier', 'Identifiers')(
  'listIdentifiers',
  'GET /cards/:card_id/identifiers',
  {
    summary: 'List every identifier that a card ever had, oldest first',
    description: 'Each of them leads to the card for ever.',
    reply: listed(identifierHistoryEntry),
  },
);

/** An identifier that the card service issued, with its card, version, time and user. */
export const issuedIdentifier = z.object({
  workspace_id: uuid,
  identifier: z.string().regex(identifierPattern),
  workstream_id: uuid,
  card_id: uuid,
  /** The first version of the card with it. It orders a card's identifiers. */
  card_version: version,
  assigned_at: timestamp,
  assigned_by: uuid,
});
export type IssuedIdentifier = z.infer<typeof issuedIdentifier>;

/**
 * Reads a card's current identifier, then those that the ledger may not have yet, from a version of the card on, at
 * most as many as requested.
 */
export const listUnrecorded = defineRequest(
  'card.list-unrecorded',
  caller.extend({ card_id: uuid, from_version: version, limit: z.int().min(1).max(200) }),
  z.object({ current_identifier: z.string(), unrecorded: z.array(issuedIdentifier) }),
  [],
  ['identifier'],
);

/**
 * Requests numbers of a workstream, null being the workspace's default (ARCHITECTURE, "Numbers"). For an archived one
 * the answer has its `archived_at`, and no number may be issued; an adopting one is refused. Where the caller's epoch
 * is over, nothing is granted and the answer names a later one.
 */
export const grant = defineRequest(
  'identifier.grant',
  z.object({
    workspace_id: uuid,
    workstream_id: uuid.nullable(),
    /** The user who needs a number, where known: a new workspace gets its default workstream for them. */
    user_id: uuid.optional(),
    /** The last number that the card service knows to be issued; 0 before the first. */
    last_number: z.int().min(0),
    /** The epoch in which the caller met its database. */
    epoch: ordinal,
  }),
  z.object({
    workstream: workstreamState,
    /** Numbers up to this one may be issued. */
    granted_through: z.int().min(0),
    /** The former `granted_through`: no number above it was ever issued. */
    granted_before: z.int().min(0),
    /** The highest recorded number. */
    highest_number: z.int().min(0),
    /** The epoch that the range counts for. */
    epoch: ordinal,
    /** Numbers up to this one were granted in earlier epochs and must not be issued any more. */
    epoch_base: z.int().min(0),
  }),
  ['conflict'],
  ['card'],
);
export type Grant = z.infer<typeof grant.reply>;

/** Most identifiers of one `identifier.record`. */
export const recordedAtOnce = 500;

/** Writes identifiers into the ledger (ARCHITECTURE, "Numbers"); `refused`: the ledger has them for another card. */
export const recordIdentifiers = defineRequest(
  'identifier.record',
  z.object({ issued: z.array(issuedIdentifier).max(recordedAtOnce) }),
  z.object({ refused: z.array(issuedIdentifier) }),
  [],
  ['card'],
);

/**
 * Answers which card has an identifier, by the ledger; null where it has none. The identifier is canonical. The caller
 * has looked among those on their way to the ledger before (ARCHITECTURE, "A look-up").
 */
export const resolveIdentifier = defineRequest(
  'identifier.resolve',
  caller.extend({ identifier: z.string() }),
  z.object({ card_id: uuid.nullable() }),
  [],
  ['card'],
);

/** Most identifiers that are resolved together. */
export const identifiersAtOnce = 100;
const identifiers = z.array(z.string().regex(identifierPattern).toUpperCase()).min(1).max(identifiersAtOnce);

/**
 * Answers the cards that have or had these identifiers, in their order; null where none is visible to the caller. The
 * answer never changes while the caller sees the card, so it may be cached.
 */
export const findCardIds = defineRequest(
  'card.find-card-ids',
  caller.extend({ identifiers }),
  z.object({ card_ids: z.array(uuid.nullable()) }),
);

/** `identifier.resolve` for many identifiers of a workspace, in their order. */
export const resolveRecorded = defineRequest(
  'identifier.resolve-many',
  caller.extend({ identifiers }),
  z.object({ card_ids: z.array(uuid.nullable()) }),
  [],
  ['card'],
);
