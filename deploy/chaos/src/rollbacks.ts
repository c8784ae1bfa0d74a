import type { Exchange, History, HistoryCheck, InjectedFault } from './history.ts';

/** The faults that end with a rollback of the databases, which then lack the writes since the beginning of the fault. */
export const rollbacksOf = ({ faults }: History): InjectedFault[] => faults.filter(({ loses }) => loses);

/**
 * How often the broker lost the register. If no running service remembers it, numbers skip a margin
 * (ADR 0071).
 */
export const registerLossesOf = ({ faults }: History): number =>
  faults.filter(({ kind }) => kind === 'nats-wipe' || kind === 'everything-restored').length;

/** Whether a request overlapped such a fault, so that its effect or the state that it read may be lost. */
export const isDuringRollback = ({ start, end }: Exchange, rollbacks: readonly InjectedFault[]): boolean =>
  rollbacks.some((rollback) => rollback.start <= end && rollback.end >= start);

const idsIn = ({ answer }: Exchange): string[] => {
  const { card, cards = [], resource, resources = [], file } = answer?.body ?? {};
  return [card, ...cards, resource, ...resources, file].flatMap((one) => one?.id ?? []);
};

/**
 * Ids that were answered while they could be lost, with the time of the first answer outside of such a fault; infinite if
 * there is none.
 */
const answeredDuringRollbacks = (history: History): Map<string, number> => {
  const rollbacks = rollbacksOf(history);
  const since = new Map<string, number>();
  const lost = new Set<string>();
  for (const exchange of history.exchanges) {
    const isLost = isDuringRollback(exchange, rollbacks);
    for (const id of idsIn(exchange)) {
      if (isLost) lost.add(id);
      else since.set(id, Math.min(since.get(id) ?? Number.POSITIVE_INFINITY, exchange.end));
    }
  }
  return new Map([...lost].map((id) => [id, since.get(id) ?? Number.POSITIVE_INFINITY]));
};

const identifiersIn = ({ answer }: Exchange): string[] => {
  const { card, cards = [], identifiers = [] } = answer?.body ?? {};
  return [card, ...cards, ...identifiers].flatMap((one) => one?.identifier ?? []);
};

/**
 * Decides which differences between services follow from lost writes: those that name an id that was answered only while it
 * could be lost, or an identifier that was never answered at another time. Such an identifier may have reached the ledger
 * after the rollback.
 */
export const namesLost = (history: History): ((difference: string) => boolean) => {
  const rollbacks = rollbacksOf(history);
  if (rollbacks.length === 0) return () => false;
  const lost = new Set(
    [...answeredDuringRollbacks(history)].filter(([, since]) => since === Number.POSITIVE_INFINITY).map(([id]) => id),
  );
  const kept = new Set(history.exchanges.filter((one) => !isDuringRollback(one, rollbacks)).flatMap(identifiersIn));
  return (difference) =>
    difference.split(/[^\w-]+/).some((one) => lost.has(one) || (/^[A-Z][A-Z0-9]*-\d+$/.test(one) && !kept.has(one)));
};

const softened = new WeakMap<History, History>();

/**
 * The part of a history that holds after rollbacks of the databases. Reads of a state that was lost are left out. A write
 * that was answered from such a state has an unknown outcome, as if its answer had not come. So has a write that gets 404
 * and names something that may be lost, such as a transfer to a workstream. A workstream that is created again with the same
 * prefix has the same id.
 */
const withoutLost = (history: History): History => {
  const rollbacks = rollbacksOf(history);
  if (rollbacks.length === 0) return history;
  const known = softened.get(history);
  if (known) return known;
  const answered = answeredDuringRollbacks(history);
  const asksForLost = ({ path, body, start }: Exchange) =>
    [...path.split('/'), ...Object.values((body ?? {}) as object)].some((one) => (answered.get(one) ?? start) > start);
  const exchanges = history.exchanges.flatMap((exchange): Exchange[] => {
    const findsNothing = exchange.answer?.status === 404 && asksForLost(exchange);
    if (!findsNothing && !isDuringRollback(exchange, rollbacks)) return [exchange];
    if (exchange.method === 'GET') return [];
    const { answer, ...rest } = exchange;
    return [answer ? { ...rest, lost: `answered ${answer.status} from a state that was lost` } : exchange];
  });
  const soft = { ...history, exchanges };
  softened.set(history, soft);
  return soft;
};

/** The same rule for the part of the history that was not lost. */
export const ofWhatIsLeft = ({ rule, check }: HistoryCheck): HistoryCheck => ({
  rule,
  check: (history) => check(withoutLost(history)),
});
