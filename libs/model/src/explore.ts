/**
 * The parts of a state: small whole numbers (up to 65,535), texts (as many), and lists and records of those, always of
 * one shape.
 */
export type Value = number | string | readonly Value[] | { readonly [name: string]: Value };

/** Tries a step. `change` changes the draft, a copy of the state, and returns false where the step is impossible. */
export type Step<State> = (label: string, change: (draft: State) => unknown) => void;

/** A system of few states: the possible steps from each of them, and the invariants of all of them. */
export interface Model<State> {
  initial: State;
  /** Tries every possible next step, in any order. */
  steps: (state: State, step: Step<State>) => void;
  /** Brings equivalent states to one form. Called with every draft. */
  normalize?: (draft: State) => void;
  /** Names the broken invariants of a state. Nothing follows from such a state. */
  broken: (state: State) => readonly string[];
  /** Whether all work is done. */
  finished: (state: State) => boolean;
}

export interface Exploration {
  states: number;
  finished: number;
  /** The violations, and the number of states with each. */
  violations: Record<string, number>;
  /** The shortest path of steps to a state with a violation. */
  path: readonly string[] | undefined;
  /** States from which no finished one can be reached; undefined unless requested. */
  stuck: number | undefined;
}

interface Options {
  /** Counts states that lead nowhere, too. That needs all states, so do not stop at a violation. */
  countStuck?: boolean;
  /** Ends with the first violation. */
  stopAtViolation?: boolean;
  /** Most states; an exploration that needs more fails. */
  limit?: number;
}

/**
 * Explores every reachable state, breadth first.
 * @throws Error where there are more states than the limit
 */
export const explore = <State extends Value>(
  { initial, steps, normalize = () => {}, broken, finished }: Model<State>,
  { countStuck = false, stopAtViolation = false, limit = 3_000_000 }: Options = {},
): Exploration => {
  const ids = new Map([[keyOf(initial), 0]]);
  const cameFrom: { id: number; label: string }[] = [{ id: -1, label: '' }];
  const edges: { from: number; to: number }[] = [];
  const ends: number[] = [];
  const violations: Record<string, number> = {};
  let path: string[] | undefined;

  let level = [{ id: 0, state: initial }];
  while (level.length > 0) {
    const nextLevel: typeof level = [];
    for (const { id, state } of level) {
      const wrong = broken(state);
      if (wrong.length > 0) {
        path ??= pathTo(id, cameFrom);
        for (const one of wrong) violations[one] = (violations[one] ?? 0) + 1;
        if (stopAtViolation) return { states: ids.size, finished: ends.length, violations, path, stuck: undefined };
        continue;
      }
      if (finished(state)) ends.push(id);
      steps(state, (label, change) => {
        const draft = copy(state);
        if (change(draft) === false) return;
        normalize(draft);
        const key = keyOf(draft);
        let to = ids.get(key);
        if (to === undefined) {
          to = ids.size;
          if (to >= limit) throw new Error(`more than ${limit} states`);
          ids.set(key, to);
          cameFrom.push({ id, label });
          nextLevel.push({ id: to, state: draft });
        }
        if (countStuck && to !== id) edges.push({ from: id, to });
      });
    }
    level = nextLevel;
  }
  const stuck = countStuck ? ids.size - countLeadingTo(ends, edges, ids.size) : undefined;
  return { states: ids.size, finished: ends.length, violations, path, stuck };
};

const pathTo = (id: number, cameFrom: readonly { id: number; label: string }[]): string[] => {
  const labels: string[] = [];
  for (let at = cameFrom[id]; at && at.id >= 0; at = cameFrom[at.id]) labels.push(at.label);
  return labels.reverse();
};

/** The number of states that are among `ends` or lead to one of them. */
const countLeadingTo = (
  ends: readonly number[],
  edges: readonly { from: number; to: number }[],
  states: number,
): number => {
  const before: number[][] = Array.from({ length: states }, () => []);
  for (const { from, to } of edges) before[to]?.push(from);
  const leading = new Set(ends);
  // The iteration of a set includes members that are added during it.
  for (const id of leading) for (const from of before[id] ?? []) leading.add(from);
  return leading.size;
};

/** A deep copy. */
export const copy = <T extends Value>(value: T): T => {
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return (typeof value[0] === 'object' ? value.map(copy) : value.slice()) as unknown as T;
  const copied: Record<string, Value> = {};
  for (const name in value) copied[name] = copy((value as Record<string, Value>)[name] as Value);
  return copied as T;
};

/** The key of a state: one character for each number, for each text, and for the length of each list. */
const keyOf = (value: Value): string => {
  const codes: number[] = [];
  collect(value, codes);
  return String.fromCharCode(...codes);
};

const collect = (value: Value, codes: number[]): void => {
  if (typeof value === 'number') codes.push(value);
  else if (typeof value === 'string') codes.push(numberOf(value));
  else if (Array.isArray(value)) {
    codes.push(value.length);
    for (const one of value) collect(one, codes);
  } else for (const name in value) collect((value as Record<string, Value>)[name] as Value, codes);
};

const texts = new Map<string, number>();
const numberOf = (text: string): number => {
  let number = texts.get(text);
  if (number === undefined) {
    number = texts.size;
    texts.set(text, number);
  }
  return number;
};

/** Messages in flight: each may arrive at any time, again, or never. Sending one twice has no effect. */
export const send = (messages: string[], message: string): void => {
  if (messages.includes(message)) return;
  messages.push(message);
  messages.sort();
};
