import type { DatabaseOwner } from '@cardinal/contracts';
import type { Violation } from './history.ts';

/** All randomness comes from here, so a seed repeats a run. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  pick<T>(of: readonly T[]): T;
  chance(probability: number): boolean;
  /** A stream of its own, which what happens elsewhere does not disturb. */
  fork(name: string): Random;
}

/** A fault under way. */
export interface Fault {
  /** The members that it hit, as `Member.name`. */
  members: string[];
  /** What it did, in short; final once it is mended. */
  detail: string;
  /** Once it is mended, the databases lack what was written since it began, or some of that. */
  loses?: true;
  /** Undoes it: what was killed is started again, what was cut is whole. Who waits for readiness waits for `System.unready`. */
  mend(): Promise<void>;
}

/**
 * Injects a fault of one kind; draws what it hits, and how, from `random`.
 * @param taken what other faults hit at the moment; what this one hits is added
 * @returns undefined where everything that it could hit is taken
 */
export type Injector = (random: Random, taken: Set<string>) => Promise<Fault | undefined>;

/** An instance of a service, or a server: a process, which faults stop and start again. */
export interface Target {
  name: string;
  start(): Promise<void>;
  /** Stops it where it is, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends it, and it stays so until it is started. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<unknown>;
  /** What it lacks; undefined when it is ready. */
  lacks(): Promise<string | undefined>;
}

/** A whole Cardinal that can be broken: processes of this machine. */
export interface System {
  /** Where clients go: one for each gateway, `http://…/api/kanban/v1`. */
  gateways: { name: string; baseUrl: string }[];
  /** A token for that workspace and user with every scope, good for the whole run. */
  token(workspace: string, user: string): Promise<string>;
  /** The faults that this system can inject, by kind. */
  faults: Record<string, Injector>;
  /** Kinds that cannot be injected here, with the reason. */
  impossible: Record<string, string>;
  databases: Record<DatabaseOwner, string>;
  /** Waits up to `timeoutMs` until every process is ready; returns what is not, and what it says. */
  unready(timeoutMs: number): Promise<string[]>;
  /** Processes that ended by themselves although nothing had been done to them. */
  crashes(): Violation[];
  /** Every instance of the services. */
  instances: readonly Target[];
  stop(): Promise<void>;
}
