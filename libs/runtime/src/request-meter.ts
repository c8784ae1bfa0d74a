import type { Metric, Registry } from 'prom-client';
import { inEach } from './metrics.ts';

/** Seconds: from a read out of memory to the longest time of a request. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const boundsMs = bounds.map((bound) => bound * 1_000);

interface Operation {
  /** Requests per bucket (not cumulative), then those above the last bound. */
  durations: Float64Array;
  sumMs: number;
  codes: Map<string | number, number>;
}

/**
 * Measures requests: their number by operation and code (`<name>s_total`), their duration by operation
 * (`<name>_duration_seconds`), those in flight (`<name>s_in_flight`). It counts in plain numbers, which cost a tenth of
 * the library's classes, and are read at each scrape (decision 0028).
 * @param label the name of the label with the operation
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
    /** Begins a request. @returns a function to call at its end, with the outcome: an HTTP status or an error's code */
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

/** Adds a metric to a registry, which reads nothing but its values. */
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
