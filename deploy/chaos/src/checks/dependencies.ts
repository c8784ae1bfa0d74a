import { checkOf, type Exchange, type History, type InjectedFault } from '../history.ts';
import { acknowledgedAt, type Pair, pairsOf, surePut, sureRemoval } from '../pairs.ts';
import { targetOf, type Write } from '../view.ts';

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
 * The owner of dependencies answers their lists: each shows the dependencies acknowledged before, and none that was surely
 * removed.
 */
export const listsAreTrue = checkOf('a list of dependencies shows the acknowledged ones', (history, report) => {
  const edges = edgesOf(history);
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
      const complain = (problem: string, shown?: Write) =>
        report(`${operation} of ${card} ${problem}`, shown?.acknowledged, exchange);
      for (const edge of byCard.get(card) ?? []) {
        const id = edge[other];
        const put = surePut(edge, start, ended, acknowledgedAt);
        const removal = sureRemoval(edge, start, ended, acknowledgedAt);
        if (put && !linked.has(id)) complain(`leaves ${id} out`, put);
        if (removal && linked.has(id)) complain(`still has ${id}`, removal);
        linked.delete(id);
      }
      for (const id of linked) complain(`has ${id}, which no request added`);
    }
  }
  return looked;
});

/** How long a service waits for another to apply its update before it answers the writer, in milliseconds. */
const handOverMs = 250;
/** How long after a fault an update may still be lost, in milliseconds. */
const recoveryMs = 15_000;

/**
 * Counts are a projection. They include an acknowledged write at once, unless its event could not be handed over in time.
 * So the check needs that no fault was near, and that the answer came before the wait could time out (ARCHITECTURE,
 * "Projections"). At the end of the run, counts include everything.
 */
const handedOver =
  (faults: readonly InjectedFault[]) =>
  (write: Write): number => {
    const { acknowledged } = write;
    if (!acknowledged || acknowledged.end - acknowledged.start > handOverMs) return Number.POSITIVE_INFINITY;
    const isDisturbed = faults.some(({ start, end }) => start < write.end && end + recoveryMs > write.start);
    return isDisturbed ? Number.POSITIVE_INFINITY : write.end;
  };

/** The client of the look-ups at the end of the run. */
const atTheEnd = -1;

/** A look-up counts every dependency that was acknowledged before it, and none that was removed. */
export const countsAreTrue = checkOf('a look-up counts the acknowledged dependencies', (history, report) => {
  const edges = edgesOf(history);
  const byFrom = Map.groupBy(edges, ({ from }) => from);
  const byTo = Map.groupBy(edges, ({ to }) => to);
  const soon = handedOver(history.faults);
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
      looked += 1;
      if (counted >= sure.length && counted <= ofCard.length - gone.length) continue;
      const isLess = counted < sure.length;
      const shown = isLess ? sure : gone;
      const paths = shown.map(({ path }) => path).join(', ');
      const which = isLess ? `which has ${paths}` : `of which ${paths || 'all'} are removed`;
      const message = `a look-up counts ${counted} ${name} of card ${card}, ${which}`;
      report(message, ...shown.map(({ acknowledged }) => acknowledged), exchange);
    }
  }
  return looked;
});
