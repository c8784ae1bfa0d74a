import type { DeliveryRow, FlushResult, Progress, StateChange } from './flush.ts';
import type { Item, Lane } from './lanes.ts';
import type { LeasedWebhook } from './leases.ts';
import type { ReadReply, ReadRequest } from './reading.ts';
import type { Attempt } from './sender.ts';

/** The lease expired and another process has it, the webhook was deleted, or the database rolled back. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The state of one delivery session. It is immutable: each step returns a new one. */
export interface State {
  /** The webhook as it was leased, with the changes of this session. */
  webhook: LeasedWebhook;
  leaseMs: number;
  /** When the session began, monotonic clock, ms. */
  begunAt: number;
  lanes: ReadonlyMap<string, Lane>;
  /** A replay comes first, then new events. */
  isReplay: boolean;
  /** The session has read the log up to this sequence number. */
  through: number;
  /** The last sequence number of the log, as far as it is known. */
  last: number;

  /** Failed attempts since the last delivery. */
  failuresInRow: number;
  /** Attempts in a row that hung. Earlier sessions of this process count too. */
  hungInRow: number;
  /** When the last attempt began, ms since 1970. */
  attemptedAt: number;
  /** When the last first attempt of a lane began, ms since 1970. */
  attemptedNewAt: number;
  /** From 0 to 1, drawn anew for each attempt, for the jitter of pauses. */
  random: number;
  /** While the receiver hangs, new events and retries alternate: the next attempt is a new event. */
  isNewNext: boolean;
  /** The receiver asked for no attempts before this time (`Retry-After`), ms since 1970. */
  retryAfter: number | undefined;
  /** When the receiver last accepted an event, monotonic clock, ms; minus infinity before that. */
  deliveredAt: number;
  /** Whether the receiver accepted an event since the last read of the log. */
  hasDelivered: boolean;
  /** The highest sequence number that the receiver accepted. */
  deliveredThrough: number;

  /** Rows for the list of deliveries that are not flushed yet. */
  deliveries: readonly DeliveryRow[];
  /** Lanes whose row in `waiting_deliveries` is not flushed yet. */
  changedLanes: ReadonlySet<string>;
  /** The value of `through` at the last flush. */
  flushedThrough: number;
  /** When the last flush began, monotonic clock, ms. */
  flushedAt: number;
  /** When the last flush that found the lease valid began, monotonic clock, ms. The lease runs from then. */
  leaseConfirmedAt: number;

  /** A read is under way. */
  isReading: boolean;
  /** The flush under way. */
  flushing: Flushing | undefined;
  /** Why the session disables the webhook. */
  disabling: 'gone' | 'failures' | undefined;
  /** A client changed the webhook, or another process has its lease: the session ends. */
  isStale: boolean;
  /** When the process began to stop, monotonic clock, ms. */
  stoppedAt: number | undefined;
  readError: unknown;
  /** The error of the last flush; undefined after one that succeeded. */
  flushError: unknown;
  /** The last flush of the session is under way, or done. */
  isEnding: boolean;
}

/** A flush under way, with what the next flush repeats if it fails. */
interface Flushing extends Pick<State, 'deliveries' | 'changedLanes' | 'flushedThrough'> {
  /** What it changes in the webhook. */
  change: StateChange;
}

/** A state that a step is building. */
export type Draft = { -readonly [Name in keyof State]: State[Name] } & {
  lanes: Map<string, Lane>;
  deliveries: DeliveryRow[];
  changedLanes: Set<string>;
};

/** The input of a step: the outcome of an action, or an event from outside. */
export type Outcome =
  | { kind: 'woken' | 'stop' }
  /** The log of the workspace grew, up to `last`. */
  | { kind: 'grew'; last: number }
  | { kind: 'read'; reply: ReadReply }
  | { kind: 'answered'; lane: string; seq: number; attempt: Attempt }
  /** `begunAt`: when the flush began, monotonic clock, ms; `result`: undefined if another process has the lease */
  | { kind: 'flushed'; begunAt: number; result: FlushResult | undefined }
  | { kind: 'failed'; what: 'read' | 'flush'; error: unknown };

/** The surroundings of a step. */
export interface Moment {
  /** Wall clock, ms since 1970. */
  now: number;
  /** Monotonic clock, ms. */
  elapsed: number;
  /** Other webhooks wait for a slot in this process. */
  isCrowded: boolean;
  /** From 0 to 1. */
  random: number;
}

/** The output of a step. At most one `read` and one `flush` are under way at a time. */
export type Action =
  | { kind: 'send'; lane: string; item: Item; isReplay: boolean }
  | { kind: 'read'; request: ReadRequest }
  | { kind: 'flush'; progress: Progress }
  | { kind: 'end' };

/** The result of a step. */
export interface Step {
  state: State;
  actions: Action[];
  /** When the next step is due if nothing happens before, monotonic clock, ms. */
  wakeAt: number;
  /** Only attempts that hang are under way. */
  isHanging: boolean;
}
