import { z } from 'zod';
import { card } from './card.ts';
import { operation } from './operation.ts';
import { changed, created, current, deleted, listed, versioned } from './response.ts';
import { notEmpty, timestamp, trimmedText, uuid, version } from './scalars.ts';

/** A mark for cards, known in the whole workspace. */
export const label = z
  .object({
    id: uuid,
    type: z.literal('label'),
    version,
    name: z.string(),
    color: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Label' });
export type Label = z.infer<typeof label>;

const fields = {
  name: trimmedText(120),
  color: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color such as #1d76db')
    .toLowerCase(),
};

export const createLabelBody = z.strictObject({ name: fields.name, color: fields.color.default('#8b949e') });

export const patchLabelBody = z
  .strictObject({ name: fields.name.optional(), color: fields.color.optional() })
  .refine(...notEmpty);

export const createLabel = operation({
  id: 'createLabel',
  service: 'card',
  method: 'POST',
  path: '/labels',
  tag: 'Labels',
  summary: 'Create a label, known in the whole workspace',
  requires: ['Idempotency-Key'],
  body: createLabelBody,
  reply: created(label, 'labels'),
  example: { name: 'bug', color: '#d73a4a' },
});

export const listLabels = operation({
  id: 'listLabels',
  service: 'card',
  method: 'GET',
  path: '/labels',
  tag: 'Labels',
  summary: 'List the labels of the workspace',
  reply: listed(label),
});

export const getLabel = operation({
  id: 'getLabel',
  service: 'card',
  method: 'GET',
  path: '/labels/:label_id',
  tag: 'Labels',
  summary: 'Read a label',
  reply: versioned(label),
});

export const patchLabel = operation({
  id: 'patchLabel',
  service: 'card',
  method: 'PATCH',
  path: '/labels/:label_id',
  tag: 'Labels',
  summary: 'Edit a label',
  requires: ['If-Match'],
  body: patchLabelBody,
  reply: changed(label),
  example: { name: 'defect' },
});

export const deleteLabel = operation({
  id: 'deleteLabel',
  service: 'card',
  method: 'DELETE',
  path: '/labels/:label_id',
  tag: 'Labels',
  summary: 'Delete a label',
  description: 'Cards that carried it lose it, and their versions rise.',
  requires: ['If-Match'],
  reply: deleted(),
});

export const putCardLabel = operation({
  id: 'putCardLabel',
  service: 'card',
  method: 'PUT',
  path: '/cards/:card_id/labels/:label_id',
  tag: 'Labels',
  summary: 'Put a label on a card',
  reply: current(card),
  refusals: ['conflict'],
});

export const deleteCardLabel = operation({
  id: 'deleteCardLabel',
  service: 'card',
  method: 'DELETE',
  path: '/cards/:card_id/labels/:label_id',
  tag: 'Labels',
  summary: 'Take a label off a card',
  reply: deleted(card),
  refusals: ['conflict'],
});
