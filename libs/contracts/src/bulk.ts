import { z } from 'zod';
import { card, maxMarks, moveCardBody, patchCardBody, transferCardBody } from './card.ts';
import { cardIdOrIdentifier } from './card-identifier.ts';
import { errorBody } from './errors.ts';
import { operationsOf } from './operation.ts';
import { inParts } from './response.ts';
import { doc, shown, uuid, version } from './scalars.ts';

/** Most cards of one request. */
const maxCards = 100;

const addressed = z.strictObject({
  card: doc(cardIdOrIdentifier, 'The card: its id, or an identifier that it has or ever had.', 'PAY-7'),
  version: doc(version.optional(), 'The version that it must have; may be left out for labels and assignees alone.', 3),
});

const marks = z.array(uuid).min(1).max(maxMarks);
const yes = z.literal(true);

/** The operations on many cards at once, by verb. */
const verbs = {
  transfer: doc(transferCardBody, 'Transfers them to another workstream.'),
  patch: doc(patchCardBody, 'Edits them, as `PATCH /cards/{card_id}` does.'),
  move: doc(moveCardBody, 'Moves them one after the other, in their order.'),
  archive: doc(yes, 'Archives them.'),
  restore: doc(yes, 'Restores them.'),
  add_labels: doc(marks, 'Puts labels on them.'),
  remove_labels: doc(marks, 'Takes labels off them.'),
  add_assignees: doc(marks, 'Assigns them to users.'),
  remove_assignees: doc(marks, 'Takes them off users.'),
};
type Verb = keyof typeof verbs;
const names = Object.keys(verbs) as Verb[];
const needsVersion = (body: object) => !names.some((name) => name in body && /_(labels|assignees)$/.test(name));

export const bulkCardsBody = z
  .strictObject({
    cards: doc(z.array(addressed).min(1).max(maxCards), 'The cards, each once.'),
    ...verbs,
  })
  .partial(Object.fromEntries(names.map((name) => [name, true])) as Record<Verb, true>)
  .refine(
    (body) => names.filter((name) => body[name] !== undefined).length === 1,
    `must have one of ${names.join(', ')}`,
  )
  .check(({ value, issues }) => {
    const known = new Set<string>();
    value.cards.forEach(({ card: id, version: accepted }, at) => {
      const refuse = (field: string, message: string) =>
        issues.push({ code: 'custom', input: value, path: ['cards', at, field], message });
      if (known.has(id)) refuse('card', 'must be named once');
      known.add(id);
      if (accepted === undefined && needsVersion(value)) refuse('version', 'is required');
    });
  })
  .meta({ oneOf: names.map((name) => ({ required: [name] })) });
export type BulkCardsBody = z.infer<typeof bulkCardsBody>;

/** The outcome for one card. */
export const bulkItem = z
  .object({
    card: doc(shown(36), 'The card as it was named.', 'PAY-7'),
    status: doc(z.int(), 'The status that the request for this card alone would have had.', 200),
    data: doc(card.optional(), 'The card after the change.'),
    error: doc(errorBody.shape.error.optional(), 'Why nothing was changed.'),
  })
  .meta({ id: 'BulkItem', description: 'What became of one card: `data` where it was changed, else `error`.' });
export type BulkItem = z.infer<typeof bulkItem>;

/** Each card succeeds or fails alone (CONTRACT 5.8). */
export const bulkCards = operationsOf('card', 'Cards')('bulkCards', 'POST /cards/bulk', {
  summary: 'Change up to 100 cards in one way',
  description:
    'Every card for itself, as if it were asked for alone: 200, with what became of each in the order of the request. The same key again answers the same for what was done, and tries again what was refused.',
  requires: ['Idempotency-Key'],
  body: bulkCardsBody,
  reply: inParts(maxCards, bulkItem),
  emits: ['card.updated', 'card.transferred', 'card.archived', 'card.moved', 'card.restored'],
  example: { cards: [{ card: 'PAY-7' }, { card: 'OPS-3' }], add_assignees: ['0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b'] },
});
