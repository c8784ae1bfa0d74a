import { setTimeout as pause } from 'node:timers/promises';
import type { InjectedFault, Violation } from './history.ts';
import { shuffled } from './random.ts';
import type { Fault, Random, System } from './system.ts';

/** How long the system may take to be ready again after all faults of a group have ended, ms. */
const recoveryMs = 90_000;
/** The longest duration of a fault, seconds. */
const longestS = 30;
/** The shortest duration of a fault, ms. No fault lasts longer than that beyond the end of a run. */
const shortestMs = 1_000;

export interface ScheduleOptions {
  system: System;
  random: Random;
  kinds: readonly string[];
  /** No group of faults begins after that moment, on the clock of `performance.now()`. */
  until: number;
  record: (fault: InjectedFault) => void;
  report: (line: string) => void;
}

/** A planned fault. */
interface Planned {
  kind: string;
  /** When it begins, ms after the beginning of its group. */
  after: number;
  lasts: number;
  random: Random;
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1);

/** Groups of a few faults that overlap. Every kind comes once before a kind is repeated. */
const groupsOf = function* (random: Random, kinds: readonly string[]): Generator<Planned[]> {
  let bag: string[] = [];
  for (let number = 1; ; number += 1) {
    const size = Math.min(random.pick([1, 1, 2, 2, 3]), kinds.length);
    yield Array.from({ length: size }, (_, at) => {
      if (bag.length === 0) bag = shuffled(random, kinds);
      return {
        kind: bag.pop() as string,
        after: at === 0 ? 0 : random.int(0, 8_000),
        lasts: random.int(shortestMs, random.pick([5, 10, longestS]) * 1_000),
        random: random.fork(`group-${number}-${at}`),
      };
    }).sort((one, other) => one.after - other.after);
  }
};

const mended = async (fault: Fault, kind: string): Promise<Violation[]> => {
  const over = new AbortController();
  const late = pause(recoveryMs, 'late' as const, { signal: over.signal }).catch(() => undefined);
  const outcome = await Promise.race([fault.mend(), late]);
  over.abort();
  if (outcome !== 'late') return [];
  const message = `${kind} of ${fault.members.join(', ')} did not end within ${seconds(recoveryMs)} s`;
  return [{ message, exchanges: [] }];
};

/**
 * Injects groups of faults that overlap. After each group the system must become ready again. `random` alone determines
 * which faults come, when, on what and for how long.
 * @returns the failures to recover; after one, no more faults are injected
 */
export const injectFaults = async (options: ScheduleOptions): Promise<Violation[]> => {
  const { system, random, kinds, until, record, report } = options;
  if (kinds.length === 0) {
    await pause(Math.max(until - performance.now(), 0));
    return [];
  }
  const one = async ({ kind, after, lasts, random: own }: Planned, taken: Set<string>): Promise<Violation[]> => {
    await pause(after);
    const start = performance.now();
    const fault = await system.faults[kind]?.(own, taken);
    if (!fault) return [];
    const lastsMs = Math.min(lasts, Math.max(until - start, shortestMs));
    report(`${kind}: ${fault.members.join(', ')} (${fault.detail}), for ${seconds(lastsMs)} s`);
    await pause(lastsMs);
    const violations = await mended(fault, kind);
    const { members, detail, loses } = fault;
    record({ kind, members, detail, start, end: performance.now(), ...(loses && { loses }) });
    report(`${kind}: ended (${fault.detail})`);
    return violations;
  };
  const groups = groupsOf(random, kinds);
  while (performance.now() < until) {
    const taken = new Set<string>();
    const group = groups.next().value as Planned[];
    const violations = (await Promise.all(group.map((planned) => one(planned, taken)))).flat();
    if (violations.length > 0) return violations;
    const begun = performance.now();
    const lacking = await system.unready(recoveryMs);
    if (lacking.length > 0) {
      const message = `${seconds(recoveryMs)} s after ${group.map(({ kind }) => kind).join(', ')}: ${lacking.join('; ')}`;
      return [{ message, exchanges: [] }];
    }
    report(`everything is ready, ${seconds(performance.now() - begun)} s after the last fault ended`);
    await pause(random.int(2_000, 6_000));
  }
  return [];
};
