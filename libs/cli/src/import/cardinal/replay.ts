import { parseIdentifier } from '@cardinal/contracts';
import { CliError } from '../../errors.ts';

/*
 * Decides which identifiers are adopted with their cards, and which are issued anew in the same order (ADR 64). A card is adopted
 * with a hundred former identifiers at most; all numbers after one that is issued anew are issued anew too.
 */

/** A card with its current and former identifiers, oldest first, and when it got each. */
export interface Named {
  id: string;
  /** The card is deleted, or not in the export: it is created and deleted, so that its identifiers are never issued again. */
  isGone: boolean;
  identifiers: { identifier: string; assigned_at: string | null }[];
}

/** An identifier without a card. */
export interface Gone {
  identifier: string;
  is_current: boolean;
  assigned_at: string | null;
  superseded_at: string | null;
  adopted: boolean;
}

/** A number that is issued anew. */
export interface Step {
  identifier: string;
  prefix: string;
  id: string;
  isGone: boolean;
  /** Whether a card is created, not transferred. */
  isFirst: boolean;
  isLast: boolean;
}

export interface Replay {
  all: Named[];
  /** How many of its identifiers each card keeps by adoption. */
  adopted: Map<string, number>;
  /** In the order of execution. */
  steps: Step[];
  /** The first number that a workstream issues itself, by prefix; none if it adopts all numbers. */
  next: Map<string, number>;
}

/** Most former identifiers of an adopted card. */
const maxFormer = 100;

const parsed = (identifier: string) => {
  const parts = parseIdentifier(identifier);
  if (!parts) throw new CliError(`"${identifier}" is not an identifier`);
  return parts;
};

/**
 * Groups the identifiers of deleted cards by card: a card got each identifier at the moment at which it lost the
 * one before. Adopted former ones have no such time; any deleted card may have them.
 */
const goneCards = (gone: Gone[], isLinked: boolean): Named[] => {
  const starting = new Map<string, Gone[]>();
  for (const one of gone) {
    // An adopted identifier is the first of its card, or follows other adopted ones.
    if (one.assigned_at === null || one.adopted) continue;
    const others = starting.get(one.assigned_at) ?? [];
    others.push(one);
    starting.set(one.assigned_at, others);
  }
  const cards = new Map<Gone, Gone[]>();
  const taken = new Set<Gone>();
  const ordered = gone.toSorted((a, b) => ((a.assigned_at ?? '') < (b.assigned_at ?? '') ? -1 : 1));
  for (const one of ordered) {
    if (taken.has(one)) continue;
    const chain = [one];
    taken.add(one);
    for (let last = one; isLinked && last.superseded_at !== null; ) {
      const { superseded_at, assigned_at } = last;
      const next = starting.get(superseded_at)?.find((other) => !taken.has(other));
      if (!next || superseded_at === assigned_at) break;
      chain.push(next);
      taken.add(next);
      last = next;
    }
    cards.set(one, chain);
  }
  const hosts = [...cards].filter(([one]) => one.adopted && (one.is_current || one.superseded_at !== null));
  for (const one of [...cards.keys()]) {
    if (!one.adopted || one.is_current || one.superseded_at !== null) continue;
    const host = hosts.find(([, other]) => other.length <= maxFormer);
    if (!host) continue;
    host[1].unshift(one);
    cards.delete(one);
  }
  return [...cards.values()].map((chain) => ({
    id: `gone ${chain[0]?.identifier}`,
    isGone: true,
    identifiers: chain.map(({ identifier, assigned_at }) => ({ identifier, assigned_at })),
  }));
};

/** Decides how many identifiers of each card are adopted, and the first number of each workstream that is not. */
const divide = (all: Named[]) => {
  const next = new Map<string, number>();
  const isAdoptable = (identifier: string) => {
    const { prefix, number } = parsed(identifier);
    return number < (next.get(prefix) ?? Number.POSITIVE_INFINITY);
  };
  const adopted = new Map<string, number>();
  for (let isSettled = false; !isSettled; ) {
    isSettled = true;
    for (const { id, identifiers } of all) {
      const found = identifiers.findIndex(({ identifier }) => !isAdoptable(identifier));
      const count = Math.min(found === -1 ? identifiers.length : found, maxFormer + 1);
      adopted.set(id, count);
      for (const { identifier } of identifiers.slice(count)) {
        const { prefix, number } = parsed(identifier);
        if (number >= (next.get(prefix) ?? Number.POSITIVE_INFINITY)) continue;
        next.set(prefix, number);
        isSettled = false;
      }
    }
  }
  return { adopted, next };
};

/** Unused numbers between those that are issued anew: they are issued too, and their cards deleted. */
const gapsOf = (all: Named[], next: Map<string, number>): Named[] => {
  const numbers = new Map<string, Set<number>>();
  for (const { identifiers } of all) {
    for (const { identifier } of identifiers) {
      const { prefix, number } = parsed(identifier);
      const known = numbers.get(prefix) ?? new Set();
      numbers.set(prefix, known.add(number));
    }
  }
  const gaps: Named[] = [];
  for (const [prefix, known] of numbers) {
    const first = next.get(prefix);
    if (first === undefined) continue;
    const last = [...known].reduce((a, b) => Math.max(a, b), 0);
    for (let number = first; number < last; number += 1) {
      if (known.has(number)) continue;
      const identifier = `${prefix}-${number}`;
      gaps.push({ id: `gone ${identifier}`, isGone: true, identifiers: [{ identifier, assigned_at: null }] });
    }
  }
  return gaps;
};

/** Sorts the steps so that each workstream and each card keeps its order, oldest first; undefined if there is no such order. */
const stepsInOrder = (all: Named[], adopted: Map<string, number>): Step[] | undefined => {
  const queues = new Map<string, { number: number; at: string; index: number; card: Named }[]>();
  const done = new Map<string, number>(adopted);
  for (const card of all) {
    for (const [index, { identifier, assigned_at }] of card.identifiers.entries()) {
      if (index < (adopted.get(card.id) ?? 0)) continue;
      const { prefix, number } = parsed(identifier);
      const queue = queues.get(prefix) ?? [];
      queue.push({ number, at: assigned_at ?? '', index, card });
      queues.set(prefix, queue);
    }
  }
  // From the end: `pop` is cheap.
  for (const queue of queues.values()) queue.sort((a, b) => b.number - a.number);
  const steps: Step[] = [];
  while (queues.size > 0) {
    const heads = [...queues].flatMap(([prefix, queue]) => {
      const head = queue.at(-1);
      return head && (done.get(head.card.id) ?? 0) === head.index ? [{ prefix, queue, head }] : [];
    });
    const [first] = heads.sort((a, b) => (a.head.at < b.head.at ? -1 : 1));
    if (!first) return undefined;
    const { prefix, queue, head } = first;
    queue.pop();
    if (queue.length === 0) queues.delete(prefix);
    done.set(head.card.id, head.index + 1);
    const { id, isGone, identifiers } = head.card;
    const isLast = head.index === identifiers.length - 1;
    steps.push({ identifier: `${prefix}-${head.number}`, prefix, id, isGone, isFirst: head.index === 0, isLast });
  }
  return steps;
};

/**
 * Plans how every identifier of an export is restored.
 * @throws CliError if an identifier is malformed, or no order of creates and transfers leads to these histories
 */
export const planReplay = (cards: Named[], gone: Gone[]): Replay => {
  for (const isLinked of [true, false]) {
    const known = [...cards, ...goneCards(gone, isLinked)];
    const { adopted, next } = divide(known);
    const all = [...known, ...gapsOf(known, next)];
    const steps = stepsInOrder(all, adopted);
    if (steps) return { all, adopted, steps, next };
  }
  throw new CliError('the histories of identifiers in this export contradict each other');
};
