import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf, type Sources } from './sources.ts';

/** One thing that is not as it must be. */
export interface Difference {
  /** Identifies and describes it, in the same text at every look. */
  what: string;
  /** Names it, however it is; `what` where left out. */
  key?: string;
  /** Sets it right where that can be done from its owner; changes nothing where it has changed since it was seen. */
  repair?: () => Promise<void>;
}

/** A rule that holds between or inside the databases of the services whenever nothing is under way. */
export interface Check {
  name: string;
  /** @param only the keys that are looked for; all where left out. Others may be among the answers */
  look: (sources: Sources, only?: ReadonlySet<string>) => Promise<Difference[]>;
}

export interface Finding {
  check: Check;
  differences: Difference[];
}

/** A difference that may be one for a moment only. */
interface Suspicion {
  difference: Difference;
  /** When the first and the last look began that saw it as it is; none of the first pass. */
  since: number;
  seen: number;
  /** How often it was another one at the next look. */
  changes: number;
}

/** What is another one at so many looks is being written to: it is looked at when it rests. */
const maxChanges = 20;

/**
 * Looks at everything. While a stack works its databases differ for moments, and a pass over large ones takes longer
 * than those. So only what looks that began after the first pass find unchanged, for as long as the patience, counts as a
 * difference; what changes meanwhile is looked at again.
 * @param patienceMs how long a difference must last, in milliseconds
 * @param pauseMs between two looks, in milliseconds
 */
export const examine = async (
  checks: readonly Check[],
  sources: Sources,
  patienceMs: number,
  pauseMs = 500,
): Promise<Finding[]> => {
  const suspected: { check: Check; suspicions: Suspicion[] }[] = [];
  for (const check of checks) suspected.push({ check, suspicions: suspect(await look(check, sources)) });
  const isOpen = ({ suspicions }: { suspicions: Suspicion[] }) =>
    suspicions.some(({ since, seen }) => seen - since < patienceMs);
  let open = suspected.filter(isOpen);
  while (open.length > 0) {
    for (const one of open) one.suspicions = await lookAgain(one.check, one.suspicions, sources);
    open = open.filter(isOpen);
    if (open.length > 0) await pause(pauseMs);
  }
  return suspected.map(({ check, suspicions }) => ({
    check,
    differences: suspicions.map(({ difference }) => difference),
  }));
};

const keyOf = ({ key, what }: Difference) => key ?? what;
const suspect = (found: Map<string, Difference>): Suspicion[] =>
  [...found.values()].map((difference) => ({ difference, since: Number.POSITIVE_INFINITY, seen: 0, changes: 0 }));

/** Those of the suspicions that are still there; new ones are left to the next examination. */
const lookAgain = async (check: Check, suspicions: Suspicion[], sources: Sources): Promise<Suspicion[]> => {
  const seen = performance.now();
  const keys = new Set(suspicions.map(({ difference }) => keyOf(difference)));
  // What could not be looked at may hide anything.
  const wasUnseen = keys.has(unseen);
  const found = await look(check, sources, wasUnseen ? undefined : keys);
  if (wasUnseen !== found.has(unseen)) return suspect(found);
  return suspicions.flatMap(({ difference: before, since, changes }) => {
    const difference = found.get(keyOf(before));
    if (!difference) return [];
    if (difference.what === before.what) return [{ difference, since: Math.min(since, seen), seen, changes }];
    return changes < maxChanges ? [{ difference, since: seen, seen, changes: changes + 1 }] : [];
  });
};

const unseen = 'could not be looked at';

/** Each difference once, by its key. What cannot be looked at is not known to be in order. */
const look = async (check: Check, sources: Sources, only?: ReadonlySet<string>): Promise<Map<string, Difference>> => {
  try {
    const differences = await check.look(sources, only);
    return new Map(differences.map((difference) => [keyOf(difference), difference]));
  } catch (error) {
    return new Map([[unseen, { key: unseen, what: `${unseen}: ${reasonOf(error)}` }]]);
  }
};
