import type { Item, Lane } from './lanes.ts';
import type { LeasedWebhook } from './leases.ts';
import type { Asked, Reply } from './reading.ts';
import type { Attempt } from './sender.ts';
import type { DeliveryRow, Progress, Settled, StateChange } from './settle.ts';

/** The lease is over, or the webhook gone: somebody else goes on. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Where one turn of a webhook stands. Nothing in it is changed: each step makes another one. */
export interface State {
  /** As it was leased, with what this turn changed. */
  webhook: LeasedWebhook;
  leaseMs: number;
  begunAt: number;
  lanes: ReadonlyMap<string, Lane>;
  /** First comes what is sent again, then what is new. */
  isReplay: boolean;
  /** Everything up to here was read. */
  through: number;
  /** The last number of the log, as far as it is known. */
  last: number;

  /** Failures without a success between them. */
  failuresInRow: number;
  /** Attempts that hung, with none between them that was answered soon; those of former turns of this process count. */
  hungInRow: number;
  /** When the last attempt began, and the last of something that was not tried before, ms since 1970. */
  triedAt: number;
  triedNewAt: number;
  /** From 0 to 1, another one with each attempt. */
  random: number;
  /** Of a receiver that hangs, what is new is tried in turn with what failed. */
  isNewNext: boolean;
  /** The receiver asks to be left alone until then, ms since 1970. */
  retryAfter: number | undefined;
  /** When the receiver last took something, by a clock that nobody sets, ms; and whether since the log was last read. */
  takenAt: number;
  hasTaken: boolean;

  /** The highest number that the receiver took, of those that were read in order. */
  takenThrough: number;

  /** What is not written down yet: attempts, and lanes that wait, or do not any more. */
  deliveries: readonly DeliveryRow[];
  changed: ReadonlySet<string>;
  /** How far reading was when it was written down. */
  writtenThrough: number;
  /** When that was, and since when the lease is known to be ours, by a clock that nobody sets, ms. */
  writtenAt: number;
  heldSince: number;

  isAsking: boolean;
  writing: Writing | undefined;
  disabling: 'gone' | 'failures' | undefined;
  /** Somebody changed the webhook, or has it. */
  isOver: boolean;
  stoppedAt: number | undefined;
  /** What kept it from reading, and from writing. */
  problem: unknown;
  failure: unknown;
  /** The last write is under way, or done. */
  isEnding: boolean;
}

/** A write under way: what is written down again where it fails. */
interface Writing extends Pick<State, 'deliveries' | 'changed' | 'writtenThrough'> {
  /** What it changes of the webhook. */
  change: StateChange;
}

/** A state that a step makes. */
export type Draft = { -readonly [Name in keyof State]: State[Name] } & {
  lanes: Map<string, Lane>;
  deliveries: DeliveryRow[];
  changed: Set<string>;
};

/** What became of an action, or came from outside. */
export type Outcome =
  | { kind: 'woken' | 'stop' }
  /** The log may have grown. */
  | { kind: 'grew'; last: number }
  | { kind: 'asked'; reply: Reply }
  | { kind: 'answered'; lane: string; seq: number; attempt: Attempt }
  /** `begunAt`: when the write began; `settled`: undefined where the lease is another's */
  | { kind: 'written'; begunAt: number; settled: Settled | undefined }
  | { kind: 'failed'; what: 'asking' | 'writing'; error: unknown };

/** When a step is made. */
export interface Moment {
  /** ms since 1970. */
  now: number;
  /** By a clock that nobody sets, ms. */
  elapsed: number;
  /** Others wait for a place. */
  isCrowded: boolean;
  /** From 0 to 1. */
  random: number;
}

/** What is to be done: of `ask` and of `write` one at a time. */
export type Action =
  | { kind: 'send'; lane: string; item: Item }
  | { kind: 'ask'; asked: Asked }
  | { kind: 'write'; progress: Progress }
  | { kind: 'end' };

/** What a step comes to. */
export interface Step {
  state: State;
  actions: Action[];
  /** Nothing more is to be done before, by a clock that nobody sets, ms. */
  wakeAt: number;
  /** All that goes on is attempts that take long. */
  isHanging: boolean;
}
