import type { Seen } from './seen.ts';

/** One request and its answer, as the client saw them. */
export interface Exchange {
  /** Its index in the history, from 0. */
  id: number;
  /** The number of the client that sent it. */
  client: number;
  /** The workspace of its token: identifiers and keys are unique within it. */
  workspace: string;
  /** The id of the API key that it came with; undefined for a token. */
  apiKey?: string;
  /** The gateway that it was sent to, as `Member.name`. */
  gateway: string;
  /** The operation's `operationId` in the OpenAPI document. */
  operation: string;
  method: string;
  /** Relative to the API's prefix, with all parameters. */
  path: string;
  key?: string;
  /** The version in `If-Match`. */
  ifMatch?: number;
  body?: unknown;
  /** Milliseconds on the one monotonic clock of the run. */
  start: number;
  end: number;
  /** The answer; undefined if the connection broke or the client gave up, so the outcome is unknown. */
  answer?: {
    status: number;
    /** The version in `ETag`. */
    etag?: number;
    location?: string;
    /** `Idempotent-Replayed: true`. */
    replayed: boolean;
    requestId?: string;
    /** The parts of the body that the checks need. */
    body: Seen;
  };
  /** Why there is no answer. */
  lost?: string;
}

/** One injected fault; its times are of the same clock. */
export interface InjectedFault {
  kind: string;
  /** The members that it hit, as `Member.name`. */
  members: string[];
  detail: string;
  start: number;
  /** When it ended: the process ran again, the connection worked again. */
  end: number;
  /** The databases were rolled back: writes answered meanwhile may be lost. */
  loses?: true;
}

/** An event as a follower received it. */
export interface ToldEvent {
  seq: number;
  id: string;
  type: string;
  /** The id of the changed resource, and its version after the change. */
  subject: string;
  version: number | null;
  card: string | null;
  board: string | null;
  /** When it was received, on the clock of the run. */
  at: number;
  /** Texts and ids in it of boards that only their creators may see. */
  secrets?: string[];
}

/** All events of a workspace that a follower received, in that order. */
export interface Following {
  /** `log`: pages read at the end of the run; `stream`; `webhook`: what the receiver accepted. */
  by: 'log' | 'stream' | 'webhook';
  workspace: string;
  /** Sees no private board. */
  isStranger?: true;
  /** The `seq` after which it began. */
  after: number;
  events: ToldEvent[];
}

/** Everything that the checks judge. It can be written to a file and judged again. */
export interface History {
  seed: number;
  exchanges: Exchange[];
  faults: InjectedFault[];
  follows: Following[];
}

/** A violation of a rule. */
export interface Violation {
  /** What was seen, in a sentence that names the identifiers. */
  message: string;
  /** The exchanges that show it, by id. */
  exchanges: number[];
}

/** One rule: judges a history, and counts the cases it looked at. Pure, so that a failing history can be shrunk. */
export interface HistoryCheck {
  rule: string;
  check(history: History): { looked: number; violations: Violation[] };
}

/** Reports a violation, with the exchanges that show it. */
export type Report = (message: string, ...exchanges: (Exchange | undefined)[]) => void;

/** A violation's exchanges, each once, in their order. */
const idsOf = (exchanges: readonly (Exchange | undefined)[]): number[] =>
  [...new Set(exchanges.flatMap((one) => (one ? [one.id] : [])))].sort((a, b) => a - b);

/**
 * Makes the check of a rule.
 * @param look reports each violation, and returns how many cases it looked at
 */
export const checkOf = (rule: string, look: (history: History, report: Report) => number): HistoryCheck => ({
  rule,
  check: (history) => {
    const violations: Violation[] = [];
    const report: Report = (message, ...exchanges) => violations.push({ message, exchanges: idsOf(exchanges) });
    return { looked: look(history, report), violations };
  },
});
