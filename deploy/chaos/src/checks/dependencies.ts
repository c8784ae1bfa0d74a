import type { Exchange, History, HistoryCheck, InjectedFault, Violation } from '../history.ts';
import { acknowledgedAt, type Pair, pairsOf, surePut, sureRemoval } from '../pairs.ts';
import { idsOf, targetOf, type Write } from '../view.ts';

const edgesOf = (history: History): Pair[] => pairsOf(history, 'putDependency', 'deleteDependency');

interface Read {
  exchange: Exchange;
  card: string;
}

const readsOf = (history: History, operation: string): Read[] =>
  history.exchanges.flatMap((exchange) => {
    const { answer, path } = exchange;
    if (exchange.operation !== operation || answer?.status !== 200 || answer.body.more) return [];
    return [{ exchange, card: answer.body.card?.id ?? targetOf(path) }];
  });

/**
 * Lists of dependencies come from their owner: each shows what was acknowledged before, and nothing that is surely
 * gone.
 */
export const listsAreTrue: HistoryCheck = {
  rule: 'a list of dependencies shows what was acknowledged',
  check(history) {
    const edges = edgesOf(history);
    const violations: Violation[] = [];
    let looked = 0;
    for (const [operation, end, other] of [
      ['listDependencies', 'from', 'to'],
      ['listDependents', 'to', 'from'],
    ] as const) {
      const byCard = Map.groupBy(edges, (edge) => edge[end]);
      for (const { exchange, card } of readsOf(history, operation)) {
        const linked = new Set(exchange.answer?.body.linked);
        const { start, end: ended } = exchange;
        looked += 1;
        const report = (message: string, shown?: Write) =>
          violations.push({
            rule: this.rule,
            message: `${operation} of ${card} ${message}`,
            exchanges: idsOf(shown?.acknowledged, exchange),
          });
        for (const edge of byCard.get(card) ?? []) {
          const id = edge[other];
          const put = surePut(edge, start, ended, acknowledgedAt);
          const removal = sureRemoval(edge, start, ended, acknowledgedAt);
          if (put && !linked.has(id)) report(`leaves ${id} out`, put);
          if (removal && linked.has(id)) report(`still has ${id}`, removal);
          linked.delete(id);
        }
        for (const id of linked) report(`has ${id}, which nobody asked for`);
      }
    }
    return { looked, violations };
  },
};

/** How long a service waits for another to apply its update before it answers the writer, in milliseconds. */
const handOverMs = 250;
/** How long after a fault an update may still be lost, in milliseconds. */
const recoveryMs = 15_000;

/**
 * Counts are a projection. An acknowledged write is in them at once, unless it could not be handed over in time: so
 * nothing may have been broken, and the answer must have come too soon for the wait to have run out (architecture,
 * "Events and projections"). At the end of the run, when all is quiet, everything is in them.
 */
const handedOver =
  (faults: readonly InjectedFault[]) =>
  (write: Write): number => {
    const { acknowledged } = write;
    if (!acknowledged || acknowledged.end - acknowledged.start > handOverMs) return Number.POSITIVE_INFINITY;
    const isDisturbed = faults.some(({ start, end }) => start < write.end && end + recoveryMs > write.start);
    return isDisturbed ? Number.POSITIVE_INFINITY : write.end;
  };

/** The client of the look-ups that are made when all is quiet. */
const atTheEnd = -1;

/** A look-up counts every dependency that was acknowledged before it. */
export const countsAreTrue: HistoryCheck = {
  rule: 'a look-up counts the dependencies that were acknowledged',
  check(history) {
    const edges = edgesOf(history);
    const byFrom = Map.groupBy(edges, ({ from }) => from);
    const byTo = Map.groupBy(edges, ({ to }) => to);
    const soon = handedOver(history.faults);
    const violations: Violation[] = [];
    let looked = 0;
    for (const { exchange, card } of readsOf(history, 'getCardByIdentifier')) {
      const { lookup } = exchange.answer?.body ?? {};
      if (!lookup) continue;
      const endOf = exchange.client === atTheEnd ? acknowledgedAt : soon;
      const { start, end } = exchange;
      for (const [name, counted, ofCard] of [
        ['dependencies', lookup.dependencies, byFrom.get(card) ?? []],
        ['dependents', lookup.dependents, byTo.get(card) ?? []],
      ] as const) {
        const sure = ofCard.flatMap((edge) => surePut(edge, start, end, endOf) ?? []);
        const gone = ofCard.flatMap((edge) => sureRemoval(edge, start, end, endOf) ?? []);
        const most = ofCard.length - gone.length;
        looked += 1;
        if (counted >= sure.length && counted <= most) continue;
        const shown = counted < sure.length ? sure : gone;
        const which = shown.map(({ path }) => path).join(', ');
        const message = `a look-up counts ${counted} ${name} of card ${card}, ${counted < sure.length ? `which has ${which}` : `of which ${which || 'all'} are gone`}`;
        violations.push({
          rule: this.rule,
          message,
          exchanges: idsOf(...shown.map(({ acknowledged }) => acknowledged), exchange),
        });
      }
    }
    return { looked, violations };
  },
};

/** Of the dependencies that surely are there at the end, none leads back to where it began. */
export const noCycle: HistoryCheck = {
  rule: 'dependencies form no cycle',
  check(history) {
    const forever = Number.POSITIVE_INFINITY;
    const sure = edgesOf(history).flatMap((edge) => {
      const put = surePut(edge, forever, forever, acknowledgedAt);
      return put ? [{ ...edge, put }] : [];
    });
    const byFrom = Map.groupBy(sure, ({ from }) => from);
    const state = new Map<string, 'open' | 'done'>();
    const violations: Violation[] = [];
    const walk = (card: string, path: typeof sure): void => {
      if (state.get(card) === 'open') {
        const cycle = path.slice(path.findIndex(({ from }) => from === card));
        const message = `${[...cycle.map(({ from }) => from), card].join(' waits for ')}`;
        violations.push({ rule: this.rule, message, exchanges: idsOf(...cycle.map(({ put }) => put.acknowledged)) });
      }
      if (state.has(card)) return;
      state.set(card, 'open');
      for (const edge of byFrom.get(card) ?? []) walk(edge.to, [...path, edge]);
      state.set(card, 'done');
    };
    for (const card of byFrom.keys()) walk(card, []);
    return { looked: sure.length, violations };
  },
};
