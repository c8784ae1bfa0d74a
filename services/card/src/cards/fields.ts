import type { CreateCardBody, PatchCardBody } from '@cardinal/contracts';

/** A field of a card that clients set, and the type of its column. */
interface WritableField {
  name: keyof CreateCardBody & keyof PatchCardBody;
  type: 'text' | 'timestamptz';
  /** Every create sets the field, and no edit clears it. */
  required?: true;
}

/**
 * The fields that clients set with `POST` and `PATCH` (CONTRACT 5.1). Creates, edits, reads and answers derive from
 * this list, so a new field takes one line here.
 */
export const writableFields = [
  { name: 'title', type: 'text', required: true },
  { name: 'description', type: 'text' },
  { name: 'due_date', type: 'timestamptz' },
  { name: 'priority', type: 'text' },
] as const satisfies readonly WritableField[];

export type WritableFieldName = (typeof writableFields)[number]['name'];

/** Makes a part of a statement for each field, and joins the parts. @param part makes the SQL of one field */
export const forEachField = (part: (field: WritableField) => string, separator = ', '): string =>
  writableFields.map(part).join(separator);
