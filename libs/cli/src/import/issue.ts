/** Where an issue stands in what was exported. */
export interface Place {
  file: string;
  /** Counted from 1; of a file without lines, how many issues it is into the file. */
  line: number;
}

export interface Comment {
  author: string | null;
  at: string | null;
  text: string;
}

export interface Subtask {
  title: string;
  completed: boolean;
}

/** A relation to another issue, which is named by its key or by the id that the tracker has for it. */
export interface Link {
  /** What the tracker calls it: `Blocks`, `Parent`. */
  type: string;
  /** Whether this issue waits for the other one; otherwise the other one waits for it. */
  waits: boolean;
  other: string;
}

/** How far a status is, as far as the tracker says it. */
export type Category = 'todo' | 'doing' | 'done';

/**
 * An issue in the terms that all trackers share, and none of Cardinal's ids. What a tracker does not say is null or
 * empty; times are RFC 3339 in UTC.
 */
export interface Issue {
  place: Place;
  /** The tracker's own id, by which links may name it. */
  id: string | null;
  /** As the tracker writes it, `WEB-7182`; whether it can be an identifier here is for the plan to say. */
  key: string | null;
  /** Earlier keys of it, oldest first. */
  former: string[];
  title: string;
  description: string | null;
  status: string | null;
  category: Category | null;
  priority: string | null;
  due_date: string | null;
  created_at: string | null;
  updated_at: string | null;
  completed_at: string | null;
  archived_at: string | null;
  creator: string | null;
  assignees: string[];
  labels: string[];
  comments: Comment[];
  subtasks: Subtask[];
  links: Link[];
}

/** What tables write in a cell that has no value. */
export const noValue = /^(?:[-–—]+|n\/a|none|null|nil|\[\])?$/i;

/** A row of a file: an issue, or why it is none. */
export type Read = { issue: Issue } | { place: Place; problem: string };

/** Counts, by field, what is not taken over, and says why. */
export interface LeftOut {
  count(field: string, why: string): void;
}

/** What was exported, which can be read from the start as often as needed. */
export interface Source {
  /** What the board is called where nobody says. */
  name: string;
  /** Statuses in the tracker's order, where the export has it. */
  statuses: string[];
  /** What a person should know of how it is read. */
  notes: string[];
  read(leftOut: LeftOut): AsyncIterable<Read>;
  /** Removes what reading needed, such as a copy of standard input. */
  close(): Promise<void>;
}
