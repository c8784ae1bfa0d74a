import type { History } from './history.ts';
import { viewOf, type Write } from './view.ts';

/** Everything that may have set or cleared one desired state of two things: a dependency, an assignee, a label. */
export interface Pair {
  from: string;
  to: string;
  puts: Write[];
  removals: Write[];
}

/** When a write was done for a reader; infinite where that is unknown. */
export type EndOf = (write: Write) => number;

const otherEnd = (path: string) => path.split('/')[4] ?? '';

/** @param put the operation that sets the state, `remove` the one that clears it; both name the two in their path */
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

/** The write by which it surely was there between two moments, if there is one. */
export const surePut = ({ puts, removals }: Pair, start: number, end: number, endOf: EndOf): Write | undefined =>
  puts.find((put) => endOf(put) < start && removals.every((one) => one.end < put.start || one.start > end));

/** What is deleted takes nothing any more. */
const isForGood = ({ operation }: Write) => operation === 'deleteCard' || operation === 'deleteLabel';

/** The write that surely removed it before a moment, if all writes that put it had ended before. */
export const sureRemoval = ({ puts, removals }: Pair, start: number, end: number, endOf: EndOf): Write | undefined => {
  const mayHave = puts.filter((put) => put.start < end);
  return removals.find((one) => endOf(one) < start && (isForGood(one) || mayHave.every((put) => put.end < one.start)));
};

/** A write was done when it was acknowledged. */
export const acknowledgedAt: EndOf = ({ end }) => end;
