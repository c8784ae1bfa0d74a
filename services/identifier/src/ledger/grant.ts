import type { Grant, Workstream } from '@cardinal/contracts';

/** Numbers that a grant makes room for. */
const granted = 1_000;

/** What a grant follows from. */
export interface Range {
  workstream: Workstream;
  /** Numbers up to this one may be issued already. */
  granted_through: number;
  /** The highest number in the ledger, 0 where it has none. */
  highest_number: number;
  /** The last number that whoever asks knows of. */
  last_number: number;
}

/**
 * Decides how far the numbers of a workstream may go (architecture, "One transaction", 2). Asking again extends nothing
 * until numbers are used; a range never shrinks, and that of an archived workstream stays as it is.
 */
export const grantOf = ({ workstream, granted_through, highest_number, last_number }: Range): Grant => ({
  workstream,
  granted_before: granted_through,
  granted_through:
    workstream.archived_at === null
      ? Math.max(granted_through, Math.max(highest_number, last_number) + granted)
      : granted_through,
  highest_number,
});
