import { z } from 'zod';
import { maxIdentifier } from './card-identifier.ts';
import { cardSummary } from './dependency.ts';
import { identifiersAtOnce } from './identifier.ts';
import { operationsOf } from './operation.ts';
import { unversioned } from './response.ts';
import { atMost, doc, shown, text, uuid, version } from './scalars.ts';

/** Most occurrences in a text, and most bytes of the answer: they bound the cost of a request. */
export const [maxOccurrences, maxReferencesBytes] = [1_000, 256 * 1024];
/** Longest text whose references are resolved, bytes of UTF-8. */
const maxTextBytes = 64 * 1024;

const identifiers = doc(
  z
    .array(text({ max: 100 }))
    .min(1)
    .max(identifiersAtOnce),
  'Identifiers in any letter case; what is none leads to no card.',
  ['PAY-7', 'ops-3'],
);
const inText = doc(
  text({ max: maxTextBytes }).refine(
    (value) => Buffer.byteLength(value) <= maxTextBytes,
    `must have at most ${maxTextBytes} bytes of UTF-8`,
  ),
  'A text of at most 64 KiB, whose references are found.',
  'Refund twice, as in OPS-3',
);
const anyCase = doc(
  z.boolean(),
  'Whether identifiers of the text count in any letter case, and not in capitals alone.',
  false,
);

export const resolveIdentifiersBody = z
  .strictObject({ identifiers, text: inText, any_case: anyCase.default(false) })
  .partial({ identifiers: true, text: true })
  .refine(
    (body) => (body.identifiers === undefined) !== (body.text === undefined),
    'must have either identifiers or text',
  )
  .meta({ oneOf: [{ required: ['identifiers'] }, { required: ['text'] }] });

const place = z.int().min(0).nullable();

/** The card of a reference. The release before does not send its column and version, nor `issued` below. */
export const referencedCard = cardSummary
  .extend({
    column_id: doc(uuid.prefault('00000000-0000-0000-0000-000000000000'), 'The column that it stands in.'),
    version: doc(version.prefault(1), 'Its version, for `If-Match`.', 3),
  })
  .meta({ id: 'ReferencedCard', description: 'What a reference shows of its card.' });
export type ReferencedCard = z.infer<typeof referencedCard>;

/** The card of an identifier from a list or a text. */
export const identifierReference = z
  .object({
    requested: doc(shown(100), 'The identifier as it was spelled.', 'OPS-3'),
    start: doc(place, 'Where it begins in the text, in code points; null of a list.', 20),
    end: doc(place, 'Where it ends, likewise: the first code point after it.', 25),
    card: doc(referencedCard.nullable(), 'The card that has or had it; null where there is none that the caller sees.'),
    is_alias: doc(z.boolean(), 'Whether the card has another identifier now.', true),
    current_identifier: doc(
      shown(maxIdentifier).nullable(),
      'The identifier that the card has now; null without a card.',
      'PAY-7',
    ),
    issued: doc(
      z.boolean().prefault(true),
      'Whether it was ever given out. Without a card, true means that the card is deleted or hidden, and false that the identifier never existed.',
      true,
    ),
  })
  .meta({ id: 'IdentifierReference', description: 'An identifier that was asked for, and the card that it leads to.' });
export type IdentifierReference = z.infer<typeof identifierReference>;

/** References in bulk (CONTRACT 4.6). */
export const resolveIdentifiers = operationsOf('card', 'Identifiers')(
  'resolveIdentifiers',
  'POST /identifiers/resolve',
  {
    tool: { name: 'resolve_references' },
    summary: 'Find the cards of many identifiers, or of those in a text',
    description:
      'A query: it needs neither key nor version. Answers one entry for each of the identifiers, in their order, or for each occurrence in the text. In a text counts what stands free, in capitals, and begins with the prefix of a workstream: `UTF-8` is no card. Free means: before it no letter, digit, `-` or `_`; after it no letter, no digit, and no `-` that a digit follows. Letters of scripts that are written without blanks do not count: `修复WEB-1的问题` names WEB-1. Without a card, `issued` is false of an identifier that never existed, and true of one whose card is deleted or hidden. More than 100 different ones, 1,000 occurrences or an answer of 256 KiB: 422.',
    isRead: true,
    body: resolveIdentifiersBody,
    reply: unversioned(atMost(maxOccurrences, identifierReference)),
    refusals: ['validation_error'],
    example: { identifiers: ['PAY-7', 'ops-3'] },
  },
);
