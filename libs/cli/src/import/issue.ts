/** The place of an issue in an exported file. */
export interface Place {
  file: string;
  /** The line, from 1; in a file without lines, the number of the issue. */
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
  /** Its name in the tracker: `Blocks`, `Parent`. */
  type: string;
  /** Whether this issue waits for the other one; otherwise the other one waits for it. */
  waits: boolean;
  other: string;
}

/** The progress that a status means, if the tracker has it. */
export type Category = 'todo' | 'doing' | 'done';

/**
 * An issue in the terms that all trackers share, without ids of Cardinal. Missing values are null or
 * empty; times are RFC 3339 in UTC.
 */
export interface Issue {
  place: Place;
  /** The tracker's own id, by which links may name it. */
  id: string | null;
  /** As the tracker writes it, `WEB-7182`; the plan decides whether it can be an identifier here. */
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
  /** When work on it began, to check its other dates. */
  started_at?: string;
  completed_at: string | null;
  archived_at: string | null;
  creator: string | null;
  assignees: string[];
  labels: string[];
  comments: Comment[];
  subtasks: Subtask[];
  links: Link[];
}

/** Texts of empty cells in tables. */
export const noValue = /^(?:[-–—]+|n\/a|none|null|nil|\[\])?$/i;

/** A row of a file: an issue, or why the row is not one. */
export type Read = { issue: Issue } | { place: Place; problem: string };

/** Counts values that are not imported, by field, with the reason. */
export interface LeftOut {
  count(field: string, why: string): void;
}

/** An exported file, which can be read from the start any number of times. */
export interface Source {
  /** The default name of the board. */
  name: string;
  /** Statuses in the tracker's order, if the export has it. */
  statuses: string[];
  /** Notes for the user on how it is read. */
  notes: string[];
  read(leftOut: LeftOut): AsyncIterable<Read>;
  /** Removes temporary files, such as a copy of standard input. */
  close(): Promise<void>;
}
