import type { History } from './history.ts';
import { viewOf, type Write } from './view.ts';

/** All writes that may have set or cleared one desired state of two things: a dependency, an assignee, a label. */
export interface Pair {
  from: string;
  to: string;
  puts: Write[];
  removals: Write[];
}

/** When a write was visible to a reader; infinite if that is unknown. */
export type EndOf = (write: Write) => number;

const otherEnd = (path: string) => path.split('/')[4] ?? '';

/** @param put the operation that sets the state; `remove` clears it. Both have the ids of the two things in their path */
export const pairsOf = (history: History, put: string, remove: string): Pair[] => {
  const { writesOf, deletions } = viewOf(history);
  const pairs = new Map<string, Pair>();
  for (const write of writesOf(put, remove)) {
    if (!write.possible) continue;
    const [from, to] = [write.target, otherEnd(write.path)];
    const name = `${from} ${to}`;
    const pair = pairs.get(name) ?? { from, to, puts: [], removals: [] };
    pairs.set(name, pair);
    (write.operation === put ? pair.puts : pair.removals).push(write);
  }
  const all = [...pairs.values()];
  for (const { from, to, removals } of all) removals.push(...[from, to].flatMap((id) => deletions.get(id) ?? []));
  return all;
};

/** A write that proves that the state was set between two moments, if there is one. */
export const surePut = ({ puts, removals }: Pair, start: number, end: number, endOf: EndOf): Write | undefined =>
  puts.find((put) => endOf(put) < start && removals.every((one) => one.end < put.start || one.start > end));

/** A deleted resource accepts no state any more. */
const isForGood = ({ operation }: Write) => operation === 'deleteCard' || operation === 'deleteLabel';

/** A write that proves that the state was cleared before a moment, if there is one: all writes that set it had ended. */
export const sureRemoval = ({ puts, removals }: Pair, start: number, end: number, endOf: EndOf): Write | undefined => {
  const mayHave = puts.filter((put) => put.start < end);
  return removals.find((one) => endOf(one) < start && (isForGood(one) || mayHave.every((put) => put.end < one.start)));
};

/** A write was visible when it was acknowledged. */
export const acknowledgedAt: EndOf = ({ end }) => end;
