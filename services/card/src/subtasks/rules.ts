import { type PatchSubtaskBody, validationError } from '@cardinal/contracts';
import type { Place } from '../positions/rules.ts';

/** What a card counts of its subtasks. */
export interface SubtaskCounts {
  subtask_total: number;
  subtask_completed: number;
}

type Countable = { completed_at: Date | null } | undefined;

/**
 * The counts after a subtask changed.
 * @param before undefined for a new one
 * @param after undefined for one that is deleted
 */
export const recount = (counts: SubtaskCounts, before: Countable, after: Countable): SubtaskCounts => ({
  subtask_total: counts.subtask_total + Number(after !== undefined) - Number(before !== undefined),
  subtask_completed: counts.subtask_completed + Number(isCompleted(after)) - Number(isCompleted(before)),
});

const isCompleted = (subtask: Countable) => subtask !== undefined && subtask.completed_at !== null;

/**
 * When a subtask was completed after a write that asks for a state: one that is completed keeps its time.
 * @param completed undefined where the write does not ask
 */
export const completedAt = (current: Date | null, completed: boolean | undefined, now: Date): Date | null => {
  if (completed === undefined) return current;
  return completed ? (current ?? now) : null;
};

/** The subtask that a body names to say where. */
const anchorOf = ({ before_subtask_id, after_subtask_id }: PatchSubtaskBody) => {
  if (before_subtask_id !== undefined) return { field: 'before_subtask_id', id: before_subtask_id } as const;
  if (after_subtask_id !== undefined) return { field: 'after_subtask_id', id: after_subtask_id } as const;
  return undefined;
};

/**
 * Where a subtask goes among those of its card; undefined where the write leaves it.
 * @throws CardinalError `validation_error` where it is to stand next to itself
 */
export const placeOfSubtask = (body: PatchSubtaskBody, id: string): Place | undefined => {
  const anchor = anchorOf(body);
  if (anchor?.id === id) throw refused(anchor.field, 'must be another subtask');
  if (!anchor) return body.position;
  return anchor.field === 'before_subtask_id' ? { before: anchor.id } : { after: anchor.id };
};

/**
 * Checks that a place was found: one that is named by a subtask of another card, or by none, is not (as for cards,
 * api-decisions, "Cards").
 * @throws CardinalError `validation_error`
 */
export const checkPlaced = (body: PatchSubtaskBody, position: number | undefined): number => {
  if (position === undefined) {
    throw refused(anchorOf(body)?.field ?? 'position', 'must be a subtask of the same card');
  }
  return position;
};

const refused = (field: string, message: string) =>
  validationError([{ path: [field], message: `${field} ${message}` }]);
