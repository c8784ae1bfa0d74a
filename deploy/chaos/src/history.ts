import type { Seen } from './seen.ts';

/** One request as the client that sent it saw it. */
export interface Exchange {
  /** Its place in the history, counted from 0. */
  id: number;
  /** Which of the seeded clients sent it. */
  client: number;
  /** The workspace of its token: identifiers and keys are unique within it. */
  workspace: string;
  /** The gateway that it was sent to, as `Member.name`. */
  gateway: string;
  /** The operation's `operationId` in the OpenAPI document. */
  operation: string;
  method: string;
  /** Below the API's prefix, with everything filled in. */
  path: string;
  key?: string;
  /** The version in `If-Match`. */
  ifMatch?: number;
  body?: unknown;
  /** Milliseconds on the one monotonic clock of the run. */
  start: number;
  end: number;
  /** What came back; undefined where the connection broke or the client gave up and the outcome is unknown. */
  answer?: {
    status: number;
    /** The version in `ETag`. */
    etag?: number;
    location?: string;
    /** `Idempotent-Replayed: true`. */
    replayed: boolean;
    requestId?: string;
    /** What the checks need of the body. */
    body: Seen;
  };
  /** Why there is no answer. */
  lost?: string;
}

/** One fault that was injected, from the same clock. */
export interface InjectedFault {
  kind: string;
  /** The members that it hit, as `Member.name`. */
  members: string[];
  detail: string;
  start: number;
  /** When it was mended: the process ran again, the connection was whole. */
  end: number;
  /** The databases were rolled back: writes answered meanwhile may be lost. */
  loses?: true;
}

/** An event as a follower got it. */
export interface ToldEvent {
  seq: number;
  id: string;
  type: string;
  /** The id of what it happened to, and its version since. */
  subject: string;
  version: number | null;
  card: string | null;
  board: string | null;
  /** When it came, on the clock of the run. */
  at: number;
  /** What it says of boards that only their makers see. */
  secrets?: string[];
}

/** All events of a workspace that a follower got, in the order in which they came. */
export interface Following {
  /** `log`: pages that were read when all was quiet; a stream; what a webhook's receiver took. */
  by: 'log' | 'stream' | 'webhook';
  workspace: string;
  /** Sees no private board. */
  isStranger?: true;
  /** The `seq` after which it began. */
  after: number;
  events: ToldEvent[];
}

/** Everything that a run is judged by; it can be written to a file and judged again. */
export interface History {
  seed: number;
  exchanges: Exchange[];
  faults: InjectedFault[];
  follows: Following[];
}

/** A promise that was broken. */
export interface Violation {
  /** What was seen, in a sentence that names the identifiers. */
  message: string;
  /** The exchanges that show it, by id. */
  exchanges: number[];
}

/** One promise: judges a history, and says how much it looked at. Pure, so that a failing history can be shrunk. */
export interface HistoryCheck {
  rule: string;
  check(history: History): { looked: number; violations: Violation[] };
}

/** Notes that a promise was broken, with the exchanges that show it. */
export type Report = (message: string, ...exchanges: (Exchange | undefined)[]) => void;

/** A violation's exchanges, each once, in their order. */
const idsOf = (exchanges: readonly (Exchange | undefined)[]): number[] =>
  [...new Set(exchanges.flatMap((one) => (one ? [one.id] : [])))].sort((a, b) => a - b);

/**
 * A promise by its name.
 * @param look reports each time that it was broken, and returns how much it looked at
 */
export const checkOf = (rule: string, look: (history: History, report: Report) => number): HistoryCheck => ({
  rule,
  check: (history) => {
    const violations: Violation[] = [];
    const report: Report = (message, ...exchanges) => violations.push({ message, exchanges: idsOf(exchanges) });
    return { looked: look(history, report), violations };
  },
});
