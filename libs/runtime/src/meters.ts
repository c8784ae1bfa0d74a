import type { Metric } from 'prom-client';
import { counter, gauge, histogram, registry } from './metrics.ts';

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
 * (`<name>_duration_seconds`), how many are in hand (`<name>s_in_flight`). It stands in the way of every request, so it
 * counts in plain numbers, a tenth of what the library's own classes take, and those are read when somebody scrapes
 * (decision 0028).
 * @param label what an operation is called
 */
export const requestMeter = ({ name, label, help }: { name: string; label: string; help: string }) => {
  const operations = new Map<string, Operation>();
  let inFlight = 0;

  counter({ name: `${name}s_total`, help: `${help}: how many ended, and how`, labels: [label, 'code'] }, (total) => {
    total.reset();
    for (const [operation, { codes }] of operations) {
      for (const [code, count] of codes) total.inc({ [label]: operation, code }, count);
    }
  });
  gauge({ name: `${name}s_in_flight`, help: `${help}: how many are in hand` }, (gauge) => gauge.set(inFlight));
  registerDurations(`${name}_duration_seconds`, `${help}: how long they took`, label, operations);

  const begin = (operation: string): Operation => {
    const begun = { durations: new Float64Array(bounds.length + 1), sumMs: 0, codes: new Map() };
    operations.set(operation, begun);
    return begun;
  };
  return {
    /** A request begins. */
    began(): void {
      inFlight += 1;
    },
    /** It ended. @param code how: an HTTP status, an error's code */
    ended(operation: string, code: string | number, milliseconds: number): void {
      inFlight -= 1;
      const measured = operations.get(operation) ?? begin(operation);
      let bucket = 0;
      while (milliseconds > (boundsMs[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
      measured.durations[bucket] = (measured.durations[bucket] ?? 0) + 1;
      measured.sumMs += milliseconds;
      measured.codes.set(code, (measured.codes.get(code) ?? 0) + 1);
    },
  };
};

/** Adds a histogram to the registry, which asks a metric for nothing but its values. */
const registerDurations = (name: string, help: string, label: string, operations: Map<string, Operation>): void => {
  const samplesOf = ([operation, { durations, sumMs }]: [string, Operation]) => {
    const labels = { [label]: operation };
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
  const get = async () => ({ name, help, type: 'histogram', values: [...operations].flatMap(samplesOf) });
  registry.registerMetric({ name, get } as unknown as Metric);
};

const sizes = histogram({
  name: 'cardinal_batch_size',
  help: 'Requests that were handled together, by what they were about',
  labels: ['queue'],
  buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
});
const queues = new Map<string, { waiting: number }>();
gauge(
  {
    name: 'cardinal_queue_waiting',
    help: 'Requests that wait to be handled with others, by what they are about',
    labels: ['queue'],
  },
  (one) => {
    for (const [queue, { waiting }] of queues) one.set({ queue }, waiting);
  },
);

/** Measures a queue out of which batches are taken; queues of one name count together. */
export const queueMeter = (name: string) => {
  const size = sizes.labels(name);
  const queue = queues.get(name) ?? { waiting: 0 };
  queues.set(name, queue);
  return {
    came() {
      queue.waiting += 1;
    },
    left(batch: number) {
      queue.waiting -= batch;
      size.observe(batch);
    },
  };
};
