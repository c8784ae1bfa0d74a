import type { Exchange, History } from './history.ts';
import type { SeenCard } from './seen.ts';
import { isAcknowledged, targetOf, viewOf, type Write } from './view.ts';

/** An answer that shows which version a resource had at some moment between its start and its end. */
export interface Observation {
  id: string;
  type: string;
  version: number;
  /** Undefined if a refusal gave only the version. */
  digest: string | undefined;
  card: SeenCard | undefined;
  exchange: Exchange;
  start: number;
  end: number;
}

/** An acknowledged write of one version, and the version after it: the same one if nothing changed. */
export interface Step {
  id: string;
  write: Write;
  from: number;
  to: number;
  exchange: Exchange;
}

/** All observations and writes of the versions of one resource. */
export interface States {
  id: string;
  type: string;
  observations: Observation[];
  steps: Step[];
}

const observationsIn = (exchange: Exchange, startOf: (exchange: Exchange) => number): Observation[] => {
  const { answer, end, path, ifMatch } = exchange;
  if (!answer) return [];
  const start = startOf(exchange);
  const { card, cards, resource, resources, error } = answer.body;
  const ofCard = (one: SeenCard): Observation => {
    return { id: one.id, type: 'card', version: one.version, digest: one.digest, card: one, exchange, start, end };
  };
  return [
    ...(card ? [ofCard(card)] : []),
    ...(cards ?? []).map(ofCard),
    ...[...(resource ? [resource] : []), ...(resources ?? [])].map((one) => {
      return { ...one, card: undefined, exchange, start, end };
    }),
    ...(error?.currentVersion !== undefined && ifMatch !== undefined
      ? [
          {
            id: targetOf(path),
            type: 'any',
            version: error.currentVersion,
            digest: undefined,
            card: undefined,
            exchange,
            start,
            end,
          },
        ]
      : []),
  ];
};

const stepOf = (write: Write): Step[] => {
  const { acknowledged: exchange, ifMatch: from, target: id } = write;
  const to = exchange?.answer?.body.card?.version ?? exchange?.answer?.body.resource?.version;
  return exchange && from !== undefined && to !== undefined ? [{ id, write, from, to, exchange }] : [];
};

const makeStates = (history: History): States[] => {
  // The answer to a key may be that of an earlier sending.
  const starts = new Map<Exchange, number>();
  const { writes } = viewOf(history);
  for (const { exchanges, start } of writes)
    for (const exchange of exchanges) if (isAcknowledged(exchange)) starts.set(exchange, start);
  const observations = history.exchanges.flatMap((one) => observationsIn(one, () => starts.get(one) ?? one.start));
  const steps = Map.groupBy(writes.flatMap(stepOf), ({ id }) => id);
  return [...Map.groupBy(observations, ({ id }) => id)].map(([id, ofOne]) => {
    const type = ofOne.find((one) => one.type !== 'any')?.type ?? 'any';
    return { id, type, observations: ofOne, steps: steps.get(id) ?? [] };
  });
};

const known = new WeakMap<History, States[]>();

/** Computed once for all checks of a history. */
export const statesOf = (history: History): States[] => {
  const states = known.get(history) ?? makeStates(history);
  known.set(history, states);
  return states;
};
