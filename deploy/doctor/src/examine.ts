import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf, type Sources } from './sources.ts';

/** A violation of a rule. */
export interface Difference {
  /** Identifies and describes it; the text is the same at every look. */
  what: string;
  /** Identifies it when `what` changes; `what` by default. */
  key?: string;
  /** Repairs it from the owner's data, if possible; changes nothing if the row has changed since. */
  repair?: () => Promise<void>;
}

/** A rule about the databases of the services that holds whenever no request is under way. */
export interface Check {
  name: string;
  /** @param only the keys to check; all by default. The result may contain others */
  look: (sources: Sources, only?: ReadonlySet<string>) => Promise<Difference[]>;
}

export interface Finding {
  check: Check;
  differences: Difference[];
}

/** A difference that may be temporary. */
interface Suspicion {
  difference: Difference;
  /** When the first and the last look began that found it in its present state; undefined in the first pass. */
  since: number;
  seen: number;
  /** How often it had changed at the next look. */
  changes: number;
}

/** A difference that changed at so many looks is being written to, and is dropped. */
const maxChanges = 20;

/**
 * Runs all checks. Databases of a running stack differ for moments, and a pass over large ones takes longer than that. So a
 * difference counts only if looks that began after the first pass find it unchanged for `patienceMs`; one that changes meanwhile
 * is looked at again.
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

/** The suspicions that persist; new ones are left to the next examination. */
const lookAgain = async (check: Check, suspicions: Suspicion[], sources: Sources): Promise<Suspicion[]> => {
  const seen = performance.now();
  const keys = new Set(suspicions.map(({ difference }) => keyOf(difference)));
  // A check that failed may hide any difference.
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

/** Each difference once, by its key. A check that fails counts as a difference. */
const look = async (check: Check, sources: Sources, only?: ReadonlySet<string>): Promise<Map<string, Difference>> => {
  try {
    const differences = await check.look(sources, only);
    return new Map(differences.map((difference) => [keyOf(difference), difference]));
  } catch (error) {
    return new Map([[unseen, { key: unseen, what: `${unseen}: ${reasonOf(error)}` }]]);
  }
};
