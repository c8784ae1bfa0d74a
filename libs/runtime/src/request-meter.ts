import type { Metric, Registry } from 'prom-client';
import { inEach } from './metrics.ts';

/** Seconds: from a read that finds everything in memory to the longest that a request may take. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const boundsMs = bounds.map((bound) => bound * 1_000);

interface Operation {
  /** How many took no longer than each bound, but longer than the one before; then those over the last. */
  durations: Float64Array;
  sumMs: number;
  codes: Map<string | number, number>;
}

/**
 * Measures requests: how many by operation and code (`<name>s_total`), how long they took by operation
 * (`<name>_duration_seconds`), how many are in hand (`<name>s_in_flight`). Every request passes here, so it counts in
 * plain numbers, which cost a tenth of the library's own classes, and are read at each scrape (decision 0028).
 * @param label what an operation is called
 */
export const requestMeter = ({ name, label, help }: { name: string; label: string; help: string }) => {
  const durations = `${name}_duration_seconds`;
  const here = inEach((registry) => {
    const measured = { operations: new Map<string, Operation>(), inFlight: 0 };
    const { operations } = measured;
    register(registry, 'counter', `${name}s_total`, `${help}: how many ended, and how`, () =>
      [...operations].flatMap(([operation, { codes }]) =>
        Array.from(codes, ([code, value]) => ({ labels: { [label]: operation, code }, value })),
      ),
    );
    register(registry, 'gauge', `${name}s_in_flight`, `${help}: how many are in hand`, () => [
      { labels: {}, value: measured.inFlight },
    ]);
    register(registry, 'histogram', durations, `${help}: how long they took`, () =>
      [...operations].flatMap(([operation, one]) => samplesOf(durations, { [label]: operation }, one)),
    );
    return measured;
  });

  const begin = (operations: Map<string, Operation>, operation: string): Operation => {
    const begun = { durations: new Float64Array(bounds.length + 1), sumMs: 0, codes: new Map() };
    operations.set(operation, begun);
    return begun;
  };
  return {
    /** A request begins. @returns to be called when it ends, with how: an HTTP status, an error's code */
    began() {
      const measured = here();
      const { operations } = measured;
      measured.inFlight += 1;
      return (operation: string, code: string | number, milliseconds: number): void => {
        measured.inFlight -= 1;
        const one = operations.get(operation) ?? begin(operations, operation);
        let bucket = 0;
        while (milliseconds > (boundsMs[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
        one.durations[bucket] = (one.durations[bucket] ?? 0) + 1;
        one.sumMs += milliseconds;
        one.codes.set(code, (one.codes.get(code) ?? 0) + 1);
      };
    },
  };
};

/** Adds a metric to a registry, which asks one for nothing but its values. */
const register = (
  registry: Registry,
  type: 'counter' | 'gauge' | 'histogram',
  name: string,
  help: string,
  look: () => object[],
): void =>
  registry.registerMetric({ name, get: async () => ({ name, help, type, values: look() }) } as unknown as Metric);

const samplesOf = (name: string, labels: Record<string, string>, { durations, sumMs }: Operation) => {
  let count = 0;
  const buckets = Array.from(durations, (more, at) => {
    count += more;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? '+Inf' }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumMs / 1_000 },
    { metricName: `${name}_count`, labels, value: count },
  ];
};
