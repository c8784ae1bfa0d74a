import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defineRequest } from './bus.ts';
import { card, createCardBody } from './card.ts';
import { maxIdentifier } from './card-identifier.ts';
import { itemError } from './errors.ts';
import { operationsOf } from './operation.ts';
import { changed, each } from './response.ts';
import { doc, ordinal, shown, timestamp, uuid } from './scalars.ts';
import { workstream, workstreamState } from './workstream.ts';

/** Cards that come with their identifiers (CONTRACT 4.8). */

/**
 * Makes the id of an adopted card: a UUIDv7 (RFC 9562, 5.7) of the time of its creation, so lists by id are in that
 * order. Its other bits are a hash of workspace and identifier: a card that is adopted again after a rollback is the
 * same card.
 */
export const adoptedId = (workspaceId: string, identifier: string, createdAt: Date): string => {
  const hash = createHash('sha256').update(`${workspaceId}/${identifier}`).digest();
  const bytes = Buffer.concat([Buffer.alloc(6), hash.subarray(0, 10)]);
  bytes.writeUIntBE(createdAt.getTime(), 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

/** Most cards of one request. */
export const adoptedAtOnce = 100;
/** Most earlier identifiers of one card. */
const maxFormer = 100;
/** Far below the largest number of an identifier: the numbers after an adopted one have to fit too. */
const maxNumber = 999_999_999_999;
const marksAtOnce = 100;

const adoptedNumber = z.int().min(1).max(maxNumber);

const formerIdentifier = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9]{1,9}-[1-9][0-9]{0,11}$/,
    `must be an identifier such as OLD-5, with a number up to ${maxNumber}`,
  )
  .toUpperCase();

/** A list of ids. A repeated id counts once. */
const ids = z.array(uuid).max(marksAtOnce);

export const cardToAdopt = z
  .strictObject({
    number: doc(adoptedNumber, 'The number of its identifier.', 7182),
    former: doc(
      z
        .array(formerIdentifier)
        .max(maxFormer)
        .refine((all) => new Set(all).size === all.length, 'must name each once')
        .meta({ uniqueItems: true }),
      'Its earlier identifiers, oldest first, each of an adopting workstream.',
      ['OLD-5'],
    ),
    column_id: doc(uuid, 'The column that it comes to.'),
    ...createCardBody.omit({ workstream_id: true }).shape,
    completed_at: doc(timestamp.nullable(), 'When it was completed; null while it is open.', null),
    archived_at: doc(timestamp.nullable(), 'When it was archived; null while it is active.', null),
    created_at: doc(
      timestamp.refine((moment) => Date.parse(moment) >= 0, 'must not be before 1970'),
      'When it was created, 1970 at the earliest; left out, when its workstream was. Its id is made of this time and its identifier.',
      '2019-04-01T09:30:00.000Z',
    ),
    created_by: doc(uuid, 'Who created it; left out, the caller.'),
    assignee_user_ids: doc(ids, 'The users who work on it.'),
    label_ids: doc(ids, 'The labels that it carries.'),
  })
  .partial({
    former: true,
    completed_at: true,
    archived_at: true,
    created_at: true,
    created_by: true,
    assignee_user_ids: true,
    label_ids: true,
  });
export type CardToAdopt = z.infer<typeof cardToAdopt>;

/** The outcome for one card of an adoption. */
export const adoption = z
  .object({
    identifier: doc(shown(maxIdentifier), 'The identifier that it was to have.', 'WEB-7182'),
    status: doc(z.int(), '201, or the status that belongs to the code of the error.', 201),
    data: card.optional(),
    error: itemError.optional(),
  })
  .meta({
    id: 'Adoption',
    description: 'What became of one card: it is in `data`, or `error` says why it was refused.',
  });
export type Adoption = z.infer<typeof adoption>;

export const adoptCards = operationsOf('card', 'Workstreams')(
  'adoptCards',
  'POST /workstreams/:workstream_id/adoptions',
  {
    summary: 'Adopt cards with the identifiers that they have',
    description:
      'Only while the workstream is `adopting`. Each card for itself: one that is refused holds up no other. `conflict` with `details.card_id` where one of its identifiers is that of a card, a deleted one too; `card_id` is null where you do not see the card. In their columns they come to stand above all others, in the order of the list from the top.',
    scope: 'kanban:admin',
    requires: ['Idempotency-Key'],
    body: z.strictObject({ cards: doc(z.array(cardToAdopt).min(1).max(adoptedAtOnce), 'The cards.') }),
    maxMembers: 20_000,
    reply: each(adoptedAtOnce, adoption),
    emits: ['card.created'],
    refusals: ['conflict'],
    example: {
      cards: [
        { number: 7182, column_id: '0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b', title: 'Refunds fail', former: ['OLD-5'] },
      ],
    },
  },
);

export const openWorkstream = operationsOf('identifier', 'Workstreams')(
  'openWorkstream',
  'POST /workstreams/:workstream_id/open',
  {
    summary: 'Let a workstream that adopted issue its own numbers, for ever',
    description:
      'The next one follows the highest that was adopted, or is `next_number`, which must not be lower. Numbers that nobody adopted are never issued.',
    scope: 'kanban:admin',
    body: z
      .strictObject({ next_number: doc(adoptedNumber, 'The first number to be issued.', 10_000) })
      .partial()
      .prefault({}),
    emits: ['workstream.opened'],
    reply: changed(workstream),
    refusals: ['conflict', 'validation_error'],
    example: { next_number: 10_000 },
  },
);

/**
 * Prepares an adoption, before its transaction: raises the register's marks to the highest numbers, then answers which
 * of the workstreams adopt and which of the identifiers the ledger has. Where the caller's epoch is over, the answer
 * names a later one, and nothing may be adopted on it.
 */
export const prepareAdoption = defineRequest(
  'identifier.prepare-adoption',
  z.object({
    workspace_id: uuid,
    workstream_id: uuid,
    epoch: ordinal,
    numbers: z.array(adoptedNumber).max(adoptedAtOnce),
    former: z.array(formerIdentifier).max(adoptedAtOnce * maxFormer),
  }),
  z.object({
    epoch: ordinal,
    /** The adopting ones of the workstreams. That of the path comes first. */
    workstreams: z.array(workstreamState),
    /** Those of the identifiers that the ledger has, with their cards. */
    recorded: z.array(z.object({ identifier: z.string(), card_id: uuid })),
  }),
  ['conflict'],
  ['card'],
);

/**
 * Ends an adoption for good and sets the counter behind it, in one statement: after the answer nothing more is adopted,
 * and numbers continue behind `last_number`. It is safe to repeat. `opened: false` with the last number where
 * `next_number` is not behind it. `unavailable` where the epoch is over.
 */
export const openRange = defineRequest(
  'card.open-range',
  z.object({
    workspace_id: uuid,
    workstream: workstreamState,
    epoch: ordinal,
    /** No number up to this one may be issued: it was adopted in an earlier epoch, or is in the ledger. */
    above: z.int().min(0),
    next_number: adoptedNumber.nullable(),
  }),
  z.object({ opened: z.boolean(), last_number: z.int().min(0) }),
  [],
  ['identifier'],
);
