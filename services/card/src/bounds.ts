import { conflict, maxMarks } from '@cardinal/contracts';

/** The most children that one parent may have (CONTRACT 6.7). */
const bounds = {
  'assignees on a card': maxMarks,
  'labels on a card': maxMarks,
  /** Archived columns count: they hold cards, and clients can restore them. */
  'columns on a board': 200,
  'members of a board': 1_000,
} as const;

/**
 * Checks that a parent has room for one more child (CONTRACT 6.7). Call it only where a write adds a child.
 * @param count the children of the parent, read under the parent's lock
 * @throws CardinalError `conflict`, with the limit in its message
 */
export const checkRoom = (what: keyof typeof bounds, count: number): void => {
  if (count >= bounds[what]) throw conflict(`There are at most ${bounds[what]} ${what}`);
};
