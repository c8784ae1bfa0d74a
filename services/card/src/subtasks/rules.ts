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
