import type { Exchange, History, HistoryCheck, InjectedFault } from './history.ts';

/** The times in which the databases held what they then lost. */
export const fallsOf = ({ faults }: History): InjectedFault[] => faults.filter(({ loses }) => loses);

/** Whether a request met a state that was lost. */
export const isInFall = ({ start, end }: Exchange, falls: readonly InjectedFault[]): boolean =>
  falls.some((fall) => fall.start <= end && fall.end >= start);

const idsIn = ({ answer }: Exchange): string[] => {
  const { card, cards = [], resource, resources = [], file } = answer?.body ?? {};
  return [card, ...cards, resource, ...resources, file].flatMap((one) => one?.id ?? []);
};

/** Ids that were told only while what they name could be lost: a card, a workstream that nobody may ever find again. */
export const lostIds = (history: History): Set<string> => {
  const falls = fallsOf(history);
  const [lost, kept] = [new Set<string>(), new Set<string>()];
  for (const exchange of history.exchanges) {
    const seen = isInFall(exchange, falls) ? lost : kept;
    for (const id of idsIn(exchange)) seen.add(id);
  }
  return new Set([...lost].filter((id) => !kept.has(id)));
};

const softened = new WeakMap<History, History>();

/**
 * A history as far as it still counts after falls of the databases. What was read of a state that was lost is left out;
 * the outcome of a write that was answered there is unknown, as if its answer had not come; so is that of a write which
 * finds nothing and names what may be lost, such as a transfer to a workstream.
 */
const withoutLost = (history: History): History => {
  const falls = fallsOf(history);
  if (falls.length === 0) return history;
  const known = softened.get(history);
  if (known) return known;
  const lost = lostIds(history);
  const namesLost = ({ path, body }: Exchange) =>
    [...path.split('/'), ...Object.values((body ?? {}) as object)].some((one) => lost.has(one));
  const exchanges = history.exchanges.flatMap((exchange): Exchange[] => {
    const findsNothing = exchange.answer?.status === 404 && namesLost(exchange);
    if (!findsNothing && !isInFall(exchange, falls)) return [exchange];
    if (exchange.method === 'GET') return [];
    const { answer, ...rest } = exchange;
    return [answer ? { ...rest, lost: `the state of which it was answered ${answer.status} was lost` } : exchange];
  });
  const soft = { ...history, exchanges };
  softened.set(history, soft);
  return soft;
};

/** The same promise, of what was not lost. */
export const ofWhatIsLeft = ({ rule, check }: HistoryCheck): HistoryCheck => ({
  rule,
  check: (history) => check.call({ rule, check }, withoutLost(history)),
});
