import type { PatchCardBody } from '@cardinal/contracts';

/** The part of a card that an edit can change. */
export interface Content {
  title: string;
  description: string | null;
  due_date: Date | null;
  priority: string | null;
  completed_at: Date | null;
}

/** What an edit asks for: null clears, an absent field stays, `completed` is a desired state. */
export type Edits = Omit<PatchCardBody, 'workstream_id'>;

/**
 * What an edit changes (specification, "States and transitions").
 * @param now when a card that becomes completed was completed; one that is completed keeps its time
 * @returns the fields that come out different, with their new values; empty where nothing does
 */
export const edit = (content: Content, edits: Edits, now: Date): Partial<Content> => {
  const wanted: Partial<Content> = {};
  if (edits.title !== undefined) wanted.title = edits.title;
  if (edits.description !== undefined) wanted.description = edits.description;
  if (edits.due_date !== undefined) wanted.due_date = edits.due_date === null ? null : new Date(edits.due_date);
  if (edits.priority !== undefined) wanted.priority = edits.priority;
  if (edits.completed !== undefined) wanted.completed_at = edits.completed ? (content.completed_at ?? now) : null;
  return Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => !isSame(content[field as keyof Content], value)),
  );
};

const isSame = (one: Content[keyof Content], other: Content[keyof Content]) =>
  one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : one === other;

/** What becomes of a card: fields that come out different, and the workstream that it goes to. */
export interface CardChange {
  fields: Partial<Content & { archived_at: Date | null }>;
  /** Null where the card stays in its workstream. */
  target: string | null;
}

/**
 * The version that a change makes: one step for fields that came out different and one for a new identifier
 * (specification, "Conventions").
 */
export const nextVersion = (version: number, { fields, target }: CardChange): number =>
  version + (Object.keys(fields).length === 0 ? 0 : 1) + (target === null ? 0 : 1);

/** Where a card goes that is wanted in a workstream; null where it is there already, or is wanted nowhere else. */
export const targetOf = (card: { workstream_id: string }, wanted: string | undefined): string | null =>
  wanted === undefined || wanted === card.workstream_id ? null : wanted;
