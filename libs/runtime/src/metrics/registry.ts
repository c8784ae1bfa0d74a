import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

interface Described<Label extends string> {
  /** By Prometheus' conventions: `cardinal_…`, base units, `_total` for what only rises. */
  name: string;
  help: string;
  labels?: readonly Label[];
}

/** Everything that this process measures. */
export const registry = new Registry();

const configOf = <Label extends string>({ name, help, labels = [] }: Described<Label>) => ({
  name,
  help,
  labelNames: labels,
  registers: [registry],
});

/**
 * A number that only rises. To count one takes a quarter of a microsecond: what every request would do is counted by a
 * `requestMeter`.
 * @param look sets it anew when somebody scrapes, where it is counted elsewhere
 */
export const counter = <Label extends string = never>(
  described: Described<Label>,
  look?: (counter: Counter<Label>) => void,
): Counter<Label> => {
  const made: Counter<Label> = new Counter({
    ...configOf(described),
    ...(look ? { collect: () => look(made) } : {}),
  });
  return made;
};

/** A distribution; `buckets` are the upper bounds of its parts. Half a microsecond each, see `counter`. */
export const histogram = <Label extends string = never>(
  described: Described<Label> & { buckets: number[] },
): Histogram<Label> => new Histogram({ ...configOf(described), buckets: described.buckets });

/**
 * A number that rises and falls, looked up when somebody scrapes. A second one of the same name takes the place of the
 * first: a process has one pool and one connection to the broker, but tests have them one after the other.
 * @param look sets it
 */
export const gauge = <Label extends string = never>(
  described: Described<Label>,
  look: (gauge: Gauge<Label>) => void | Promise<void>,
): void => {
  registry.removeSingleMetric(described.name);
  const made: Gauge<Label> = new Gauge({ ...configOf(described), collect: () => look(made) });
};

let measuresProcess = false;

/** Measures the process itself from now on: CPU, memory, event loop, garbage collection. */
export const measureProcess = (): void => {
  if (measuresProcess) return;
  measuresProcess = true;
  collectDefaultMetrics({ register: registry });
};
