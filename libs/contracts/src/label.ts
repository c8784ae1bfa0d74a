import { z } from 'zod';
import { card } from './card.ts';
import { operationsOf } from './operation.ts';
import { changed, created, current, deleted, listed, versioned } from './response.ts';
import { doc, head, named, shown, someOf, times, trimmedText } from './scalars.ts';

export const label = z
  .object({
    ...head('label'),
    name: doc(shown(120), 'What it is called.', 'bug'),
    color: doc(shown(7), 'Red, green and blue in hexadecimal.', '#d73a4a'),
    ...times,
  })
  .meta({ id: 'Label', description: 'A mark for cards, known in the whole workspace.' });
export type Label = z.infer<typeof label>;

const fields = {
  name: doc(trimmedText(120), 'What it is called.', 'bug'),
  color: doc(
    z
      .string()
      .regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color such as #1d76db')
      .toLowerCase(),
    'Red, green and blue in hexadecimal.',
    '#d73a4a',
  ),
};

export const createLabelBody = z.strictObject({ name: fields.name, color: fields.color.default('#8b949e') });

const operation = operationsOf('card', 'Labels');

export const createLabel = operation('createLabel', 'POST /labels', {
  summary: 'Create a label, known in the whole workspace',
  description: 'Names need not differ; the color is gray where none is given.',
  body: createLabelBody,
  reply: created(label, 'labels'),
  emits: ['label.created'],
  example: { name: 'bug', color: '#d73a4a' },
});

export const listLabels = operation('listLabels', 'GET /labels', {
  tool: { name: 'list_labels' },
  summary: 'List the labels of the workspace',
  description: 'Oldest first.',
  query: { name: named },
  reply: listed(label),
});

export const getLabel = operation('getLabel', 'GET /labels/:label_id', {
  summary: 'Read a label',
  reply: versioned(label),
});

export const patchLabel = operation('patchLabel', 'PATCH /labels/:label_id', {
  summary: 'Edit a label',
  description: 'The cards that carry it stay as they are.',
  body: someOf(fields),
  reply: changed(label),
  emits: ['label.updated'],
  example: { name: 'defect' },
});

export const deleteLabel = operation('deleteLabel', 'DELETE /labels/:label_id', {
  summary: 'Delete a label',
  description: 'Cards that carried it lose it, and their versions rise.',
  requires: ['If-Match'],
  reply: deleted(),
  emits: ['label.deleted'],
});

export const putCardLabel = operation('putCardLabel', 'PUT /cards/:card_id/labels/:label_id', {
  tool: { name: 'label_card' },
  summary: 'Put a label on a card',
  description: 'Again changes nothing. A card carries 100 labels at most: 409 above.',
  reply: current(card),
  emits: ['card.updated'],
  refusals: ['conflict'],
});

export const deleteCardLabel = operation('deleteCardLabel', 'DELETE /cards/:card_id/labels/:label_id', {
  tool: { name: 'unlabel_card' },
  summary: 'Take a label off a card',
  description: 'One that it does not carry: 204 too.',
  reply: deleted(card),
  emits: ['card.updated'],
  refusals: ['conflict'],
});
