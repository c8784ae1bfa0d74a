import { conflict, type MoveCardBody, type PatchCardBody } from '@cardinal/contracts';
import { anchorOf, type Place, placeRefused } from '../positions/rules.ts';
import { checkRoom } from '../rules.ts';

/**
 * Checks that a card takes writes at all (api-decisions, "Boards, columns and what hangs on cards").
 * @throws CardinalError `conflict` where its board is deleted
 */
export const checkWritable = (card: { board_deleted_at: Date | null }): void => {
  if (card.board_deleted_at) throw conflict('The board of the card is deleted');
};

/** What decides whether a column takes new cards. */
export interface Destination {
  archived_at: Date | null;
  board_archived_at: Date | null;
}

/**
 * Checks that a card may be created in a column (specification, "Cards": an active column; api-decisions, "Errors").
 * @throws CardinalError `conflict` where the column or its board is archived
 */
export const checkTakesCards = (column: Destination): void => {
  if (column.board_archived_at) throw conflict('The board is archived');
  if (column.archived_at) throw conflict('The column is archived');
};

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

/** Where in its column a move goes; the start where it does not say (api-decisions, "Cards"). */
export const placeOf = (body: MoveCardBody): Place => anchorOf(body, 'card')?.place ?? body.position ?? 'start';

/** What a move meets. */
export interface MoveContext {
  card: { id: string; board_id: string; archived_at: Date | null };
  /** The column it goes to; undefined where there is none of that id. */
  column: { id: string; board_id: string; archived_at: Date | null } | undefined;
  /** The card it names; undefined where there is none of that id. */
  anchorCard: { board_id: string; column_id: string } | undefined;
  boardArchivedAt: Date | null;
}

/**
 * Checks that a card may go where a move says: column and anchor on its own board, the anchor another card of that
 * column, neither card nor column nor board archived (api-decisions, "Cards" and "Errors").
 * @throws CardinalError `validation_error` or `conflict`
 */
export const checkMove = (body: MoveCardBody, { card, column, anchorCard, boardArchivedAt }: MoveContext): void => {
  const anchor = anchorOf(body, 'card');
  if (anchor) {
    if (anchor.id === card.id) throw placeRefused(anchor.field, 'must be another card');
    if (anchorCard?.board_id !== card.board_id) throw placeRefused(anchor.field, 'must be a card of the same board');
  }
  if (column?.board_id !== card.board_id) throw placeRefused('column_id', 'must be a column of the same board');
  if (anchor && anchorCard?.column_id !== column.id) throw placeRefused(anchor.field, 'must be a card of that column');
  if (card.archived_at) throw conflict('The card is archived');
  if (column.archived_at) throw conflict('The column is archived');
  if (boardArchivedAt) throw conflict('The board is archived');
};

/** What a card is marked with, assignees and labels: lists of ids in the order in which they came, each once. */

/**
 * The list with an id in it; the same list where it is there already.
 * @throws CardinalError `conflict` where the list is full
 */
export const including = (ids: string[], id: string, what: 'assignees' | 'labels'): string[] => {
  if (ids.includes(id)) return ids;
  checkRoom(`${what} on a card`, ids.length);
  return [...ids, id];
};

/** The list without an id; the same list where it is not there. */
export const excluding = (ids: string[], id: string): string[] =>
  ids.includes(id) ? ids.filter((other) => other !== id) : ids;
