import type { PatchSubtaskBody } from '@cardinal/contracts';
import { anchorOf, type Place, placeRefused } from '../positions/rules.ts';

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

/**
 * Where a subtask goes among those of its card; undefined where the write leaves it.
 * @throws CardinalError `validation_error` where it is to stand next to itself
 */
export const placeOfSubtask = (body: PatchSubtaskBody, id: string): Place | undefined => {
  const anchor = anchorOf(body, 'subtask');
  if (anchor?.id === id) throw placeRefused(anchor.field, 'must be another subtask');
  return anchor?.place ?? body.position;
};

/**
 * Checks that a place was found: one that is named by a subtask of another card, or by none, is not (as for cards,
 * api-decisions, "Cards").
 * @throws CardinalError `validation_error`
 */
export const checkPlaced = (body: PatchSubtaskBody, position: number | undefined): number => {
  if (position !== undefined) return position;
  throw placeRefused(anchorOf(body, 'subtask')?.field ?? 'position', 'must be a subtask of the same card');
};
