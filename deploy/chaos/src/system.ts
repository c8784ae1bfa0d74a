import type { DatabaseOwner } from '@cardinal/contracts';
import type { Violation } from './history.ts';

/** The source of all randomness, so that a seed repeats a run. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  pick<T>(of: readonly T[]): T;
  chance(probability: number): boolean;
  /** An independent stream: draws from other streams do not change it. */
  fork(name: string): Random;
}

/** A fault under way. */
export interface Fault {
  /** The members that it hit, as `Member.name`. */
  members: string[];
  /** What it did, in short; final when it has ended. */
  detail: string;
  /** When it has ended, the databases lack all or some writes since its beginning. */
  loses?: true;
  /** Ends it: restarts killed processes, restores connections. It does not wait for readiness; `System.unready` does. */
  mend(): Promise<void>;
}

/**
 * Injects a fault of one kind; draws its targets and parameters from `random`.
 * @param taken the targets of other faults under way; its own are added
 * @returns undefined if all possible targets are taken
 */
export type Injector = (random: Random, taken: Set<string>) => Promise<Fault | undefined>;

/** An instance of a service, or a server: a process, which faults stop and start again. */
export interface Target {
  name: string;
  start(): Promise<void>;
  /** Suspends it, or lets it continue. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends it. It stays down until it is started. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<unknown>;
  /** What it lacks; undefined when it is ready. */
  lacks(): Promise<string | undefined>;
}

/** A whole Cardinal, as processes of this machine that faults can hit. */
export interface System {
  /** The gateways that clients use, with the URL of the API, `http://…/api/kanban/v1`. */
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
  /** Processes that ended although no fault ended them. */
  crashes(): Violation[];
  /** Every instance of the services. */
  instances: readonly Target[];
  stop(): Promise<void>;
}
