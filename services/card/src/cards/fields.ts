import type { CreateCardBody, PatchCardBody } from '@cardinal/contracts';

/** A field of a card that clients set, and its column. */
interface WritableField {
  name: keyof CreateCardBody & keyof PatchCardBody;
  type: 'text' | 'timestamptz';
  /** Set always: a card is made with it, and an edit cannot clear it. */
  required?: true;
}

/**
 * The fields that clients set with `POST` and `PATCH` (CONTRACT 5.1). Create, edit, read and present are
 * derived from this list, so a new field of this kind is one line here.
 */
export const writableFields = [
  { name: 'title', type: 'text', required: true },
  { name: 'description', type: 'text' },
  { name: 'due_date', type: 'timestamptz' },
  { name: 'priority', type: 'text' },
] as const satisfies readonly WritableField[];

export type WritableFieldName = (typeof writableFields)[number]['name'];

/** A part of a statement for each field. */
export const forEachField = (part: (field: WritableField) => string, separator = ', '): string =>
  writableFields.map(part).join(separator);
