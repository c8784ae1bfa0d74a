import stringify from 'safe-stable-stringify';
import type { Exchange, History, InjectedFault } from './history.ts';
import type { SeenCard } from './seen.ts';

/**
 * One write with all its sendings: sendings with the same key are one write. It took effect not before `start` and, if it
 * was acknowledged, not after `end`.
 */
export interface Write {
  operation: string;
  workspace: string;
  path: string;
  /** The first id in its path. */
  target: string;
  ifMatch: number | undefined;
  body: Record<string, unknown>;
  exchanges: Exchange[];
  start: number;
  /** When its first acknowledgement arrived; infinite without one. */
  end: number;
  /** The first answer that acknowledges it. */
  acknowledged: Exchange | undefined;
  /**
   * Whether it may have taken effect: it was acknowledged, or one of its sendings has an unknown outcome. An answer that
   * was lost leaves it open until the end of the run.
   */
  possible: boolean;
}

/** A history by writes, for the checks. */
export interface View {
  writes: Write[];
  /** By operation. */
  writesOf(...operations: string[]): Write[];
  /** Possible deletions, by the id of what they delete. */
  deletions: Map<string, Write[]>;
}

export const isAcknowledged = ({ answer }: Exchange) => answer !== undefined && answer.status < 300;
/** Answered, and without an effect: a refusal commits nothing (CONTRACT 3.4). */
export const isRefused = ({ answer }: Exchange) => answer !== undefined && answer.status >= 400 && answer.status < 500;

/** The first id in a path. */
export const targetOf = (path: string): string => path.split('/')[2]?.split('?')[0] ?? '';

/**
 * How long services wait before they repeat a request when no fault is near, and how long a fault may have an effect
 * afterwards, ms.
 */
const repeatedAfterMs = 1_000;
const afterFaultMs = 10_000;

/**
 * Whether a refusal proves that nothing happened. The gateway repeats a request when its answer is lost. Between the
 * two sendings another client may have deleted what the first one made: then the second is answered 404, which is
 * checked before the replay of a key; and a desired state has no command that would identify the second sending.
 */
const isForSure = ({ answer, key, ifMatch, start, end }: Exchange, faults: readonly InjectedFault[]): boolean => {
  if (answer?.status !== 404 && (key !== undefined || ifMatch !== undefined)) return true;
  if (end - start >= repeatedAfterMs) return false;
  return !faults.some((fault) => fault.start < end && fault.end + afterFaultMs > start);
};

const makeWrite = (exchanges: Exchange[], faults: readonly InjectedFault[]): Write => {
  const [first] = exchanges as [Exchange];
  let [start, end] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let acknowledged: Exchange | undefined;
  for (const exchange of exchanges) {
    start = Math.min(start, exchange.start);
    if (!isAcknowledged(exchange) || exchange.end >= end) continue;
    acknowledged = exchange;
    end = exchange.end;
  }
  return {
    operation: first.operation,
    workspace: first.workspace,
    path: first.path,
    target: targetOf(first.path),
    ifMatch: first.ifMatch,
    body: (first.body ?? {}) as Record<string, unknown>,
    exchanges,
    start,
    end,
    acknowledged,
    possible: !exchanges.every((one) => isRefused(one) && isForSure(one, faults)),
  };
};

const makeView = ({ exchanges, faults }: History): View => {
  const groups = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    const { method, operation, workspace, key, path, ifMatch, body, id } = exchange;
    if (method === 'GET') continue;
    // The same key with another request is another write, which must be refused.
    const name = key === undefined ? String(id) : [workspace, operation, key, path, ifMatch, stringify(body)].join(' ');
    const group = groups.get(name);
    if (group) group.push(exchange);
    else groups.set(name, [exchange]);
  }
  const writes = [...groups.values()].map((group) => makeWrite(group, faults));
  const byOperation = Map.groupBy(writes, ({ operation }) => operation);
  const deletes = writes.filter(
    ({ operation, possible }) => possible && /^delete(Card|Board|Label|Comment|Subtask)$/.test(operation),
  );
  return {
    writes,
    writesOf: (...operations) => operations.flatMap((operation) => byOperation.get(operation) ?? []),
    deletions: Map.groupBy(deletes, ({ target }) => target),
  };
};

const views = new WeakMap<History, View>();

/** Computed once for all checks of a history. */
export const viewOf = (history: History): View => {
  const known = views.get(history);
  if (known) return known;
  const view = makeView(history);
  views.set(history, view);
  return view;
};

/** Every card that an answer shows. */
export const cardsIn = ({ answer }: Exchange): SeenCard[] => {
  const { card, cards } = answer?.body ?? {};
  return [...(card ? [card] : []), ...(cards ?? [])];
};

/** Finds the largest of all items that ended before a moment. Moments must not decrease from call to call. */
export class Latest<Item extends { end: number }> {
  private readonly byEnd: Item[];
  private readonly orderOf: (item: Item) => number;
  private at = 0;
  private largest: Item | undefined;

  /** @param orderOf the size of an item */
  constructor(items: readonly Item[], orderOf: (item: Item) => number) {
    this.byEnd = items.filter(({ end }) => Number.isFinite(end)).sort((a, b) => a.end - b.end);
    this.orderOf = orderOf;
  }

  /** The largest item that had ended before this moment, which is not before that of the last call. */
  before(moment: number): Item | undefined {
    for (let item = this.byEnd[this.at]; item && item.end < moment; item = this.byEnd[this.at]) {
      if (!this.largest || this.orderOf(item) > this.orderOf(this.largest)) this.largest = item;
      this.at += 1;
    }
    return this.largest;
  }
}

export const byStart = <Item extends { start: number }>(items: readonly Item[]): Item[] =>
  [...items].sort((a, b) => a.start - b.start);
