import { conflict, maxMarks } from '@cardinal/contracts';

/** Limits of how many things one parent may have (CONTRACT 6.7). */
const bounds = {
  'assignees on a card': maxMarks,
  'labels on a card': maxMarks,
  /** Archived ones count: they can be restored, and hold cards. */
  'columns on a board': 200,
  'members of a board': 1_000,
} as const;

/**
 * Checks that one more may be added. Call it only for new things: existing ones need no room.
 * @param count how many there are, under the lock of their parent
 * @throws CardinalError `conflict` that names the bound
 */
export const checkRoom = (what: keyof typeof bounds, count: number): void => {
  if (count >= bounds[what]) throw conflict(`There are at most ${bounds[what]} ${what}`);
};
