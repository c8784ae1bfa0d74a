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

/** The card service knows what is current and what is on its way to the ledger; it asks the ledger for the rest. */
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
 * The card service is asked whether the caller sees the card, for the current identifier, and for those on their way to
 * the ledger.
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

/** An identifier that the card service issued: to which card, as which of its states, when and by whom. */
export const issuedIdentifier = z.object({
  workspace_id: uuid,
  identifier: z.string().regex(identifierPattern),
  workstream_id: uuid,
  card_id: uuid,
  /** The card's version that carries it first; the order of a card's identifiers. */
  card_version: version,
  assigned_at: timestamp,
  assigned_by: uuid,
});
export type IssuedIdentifier = z.infer<typeof issuedIdentifier>;

/**
 * A card's current identifier, and those of its identifiers that the ledger may not know yet: the current one first, then
 * as many as are asked for, from a version of the card on.
 */
export const listUnrecorded = defineRequest(
  'card.list-unrecorded',
  caller.extend({ card_id: uuid, from_version: version, limit: z.int().min(1).max(200) }),
  z.object({ current_identifier: z.string(), unrecorded: z.array(issuedIdentifier) }),
  [],
  ['identifier'],
);

/**
 * Asks for numbers of a workstream, null being the workspace's default (ARCHITECTURE, "Numbers"). An
 * archived one is answered with its `archived_at`, and no number may be issued from it; one that adopts is refused. Where
 * the caller's epoch is over, nothing is granted: the answer names a later one.
 */
export const grant = defineRequest(
  'identifier.grant',
  z.object({
    workspace_id: uuid,
    workstream_id: uuid.nullable(),
    /** Who needs a number, where that is known: for them a new workspace gets its default workstream. */
    user_id: uuid.optional(),
    /** The last number that the card service knows to be issued; 0 before the first. */
    last_number: z.int().min(0),
    /** The epoch in which the asker met its database. */
    epoch: ordinal,
  }),
  z.object({
    workstream: workstreamState,
    /** Numbers up to this one may be issued. */
    granted_through: z.int().min(0),
    /** What `granted_through` was before: no number above it was ever issued. */
    granted_before: z.int().min(0),
    /** The highest number that was ever recorded. */
    highest_number: z.int().min(0),
    /** The epoch that the range counts for. */
    epoch: ordinal,
    /** Numbers up to this one were granted in earlier epochs: none of them is issued any more. */
    epoch_base: z.int().min(0),
  }),
  ['conflict'],
  ['card'],
);
export type Grant = z.infer<typeof grant.reply>;

/** Identifiers of one `identifier.record` at most. */
export const recordedAtOnce = 500;

/** Writes identifiers into the ledger (ARCHITECTURE, "Numbers"); `refused`: it has them for another card. */
export const recordIdentifiers = defineRequest(
  'identifier.record',
  z.object({ issued: z.array(issuedIdentifier).max(recordedAtOnce) }),
  z.object({ refused: z.array(issuedIdentifier) }),
  [],
  ['card'],
);

/**
 * Which card the ledger has an identifier for, in its canonical spelling; null where it has none. The caller has looked
 * before among those on their way to the ledger (ARCHITECTURE, "A look-up").
 */
export const resolveIdentifier = defineRequest(
  'identifier.resolve',
  caller.extend({ identifier: z.string() }),
  z.object({ card_id: uuid.nullable() }),
  [],
  ['card'],
);

/** Identifiers that are resolved together at most. */
export const identifiersAtOnce = 100;
const identifiers = z.array(z.string().regex(identifierPattern).toUpperCase()).min(1).max(identifiersAtOnce);

/**
 * The cards that have or had these identifiers, in their order; null where the caller sees none. That never changes
 * while the caller sees the card, so it may be cached.
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
