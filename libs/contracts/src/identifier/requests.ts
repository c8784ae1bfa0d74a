import { z } from 'zod';
import { caller, defineRequest } from '../bus/request.ts';
import { timestamp, uuid, version } from '../scalars.ts';
import { workstream } from '../workstream/resource.ts';
import { identifierHistoryEntry } from './resource.ts';

/** An identifier that the card service issued: to which card, as which of its states, when and by whom. */
export const issuedIdentifier = z.object({
  workspace_id: uuid,
  identifier: z.string(),
  workstream_id: uuid,
  card_id: uuid,
  /** The card's version that carries it first; the order of a card's identifiers. */
  card_version: version,
  assigned_at: timestamp,
  assigned_by: uuid,
});
export type IssuedIdentifier = z.infer<typeof issuedIdentifier>;

/**
 * Asks for numbers of a workstream, null being the workspace's default (architecture, "One transaction", 2). An archived
 * one is answered too: it has `archived_at`, and nothing is to be issued from it.
 */
export const grant = defineRequest(
  'identifier.grant',
  z.object({
    workspace_id: uuid,
    workstream_id: uuid.nullable(),
    /** The last number that the card service knows to be issued; 0 before the first. */
    last_number: z.int().min(0),
  }),
  z.object({
    workstream,
    /** Numbers up to this one may be issued. */
    granted_through: z.int().min(0),
    /** What `granted_through` was before: no number above it was ever issued. */
    granted_before: z.int().min(0),
    /** The highest number that was ever recorded. */
    highest_number: z.int().min(0),
  }),
  [],
  ['card'],
);
export type Grant = z.infer<typeof grant.reply>;

/** Identifiers of one `identifier.record` at most. */
export const recordedAtOnce = 500;

/**
 * Writes issued identifiers into the ledger (architecture, "One transaction", 3). Recording one again changes nothing;
 * `refused` are those that the ledger has for another card.
 */
export const recordIdentifiers = defineRequest(
  'identifier.record',
  z.object({ issued: z.array(issuedIdentifier).max(recordedAtOnce) }),
  z.object({ refused: z.array(issuedIdentifier) }),
  [],
  ['card'],
);

/** Which card the ledger has an identifier for; 404 where it has none. Ask `card.look-up-identifier` first. */
export const resolveIdentifier = defineRequest(
  'identifier.resolve',
  caller.extend({ identifier: z.string() }),
  z.object({ card_id: uuid }),
  ['not_found'],
);

/**
 * Every identifier of a card, oldest first, as of the one that the card names as current.
 * `unrecorded` is what `card.list-unrecorded` answered just before.
 */
export const listIdentifiers = defineRequest(
  'identifier.list-identifiers',
  caller.extend({
    card_id: uuid,
    current_identifier: z.string(),
    unrecorded: z.array(issuedIdentifier).default([]),
  }),
  z.array(identifierHistoryEntry),
);
