import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { askedOnce, firstOf } from './context.ts';
import { http } from './http.ts';
import type { Logger } from './logger.ts';
import { currentService } from './service-scope.ts';

interface Described<Label extends string> {
  /** By Prometheus' conventions: `cardinal_…`, base units, `_total` for what only rises. */
  name: string;
  help: string;
  labels?: readonly Label[];
}

/**
 * What this process measures: of itself, under no name, and of each service that shares it with others (`inService`),
 * whose metrics have the label `service`.
 */
const registries = new Map<string | undefined, Registry>();

/** Makes what was declared and counted nothing yet: a process of one service shows it from the start, at 0. */
const declared: (() => unknown)[] = [];

/** That of the service which the present work belongs to. */
const registryHere = (): Registry => {
  const service = currentService();
  const found = registries.get(service);
  if (found) return found;
  const made = new Registry();
  if (service) made.setDefaultLabels({ service });
  registries.set(service, made);
  return made;
};

/** What `make` makes for each service of this process, when it is first asked for there. */
export const inEach = <Made>(make: (registry: Registry) => Made): (() => Made) => {
  const made = new WeakMap<Registry, Made>();
  return () => {
    const registry = registryHere();
    const one = made.get(registry) ?? make(registry);
    made.set(registry, one);
    return one;
  };
};

const configOf = <Label extends string>({ name, help, labels = [] }: Described<Label>, registry: Registry) => ({
  name,
  help,
  labelNames: labels,
  registers: [registry],
});

/**
 * A number that only rises; the result is that of the service which asks. To count one takes a quarter of a microsecond:
 * what every request would do is counted by a `requestMeter`.
 */
export const counter = <Label extends string = never>(described: Described<Label>): (() => Counter<Label>) => {
  const here = inEach((registry) => new Counter(configOf(described, registry)));
  declared.push(here);
  return here;
};

/**
 * A distribution; `buckets` are the upper bounds of its parts. The result is that of the service which asks. Half a
 * microsecond each, see `counter`.
 */
export const histogram = <Label extends string = never>(
  described: Described<Label> & { buckets: number[] },
): (() => Histogram<Label>) => {
  const here = inEach((registry) => new Histogram({ ...configOf(described, registry), buckets: described.buckets }));
  declared.push(here);
  return here;
};

/**
 * A number that rises and falls, read at each scrape. A second gauge of the same name replaces the first: a service has
 * one pool and one connection to the broker, but tests have them one after the other.
 * @param look sets it
 */
export const gauge = <Label extends string = never>(
  described: Described<Label>,
  look: (gauge: Gauge<Label>) => void | Promise<void>,
): void => {
  const registry = registryHere();
  registry.removeSingleMetric(described.name);
  const made: Gauge<Label> = new Gauge({ ...configOf(described, registry), collect: () => look(made) });
};

interface Sample<Name extends string> {
  name: Name;
  labels?: Record<string, string>;
  value: number;
}

interface SampledOptions<Name extends string> {
  /** The help text of each gauge, by its name. */
  gauges: Record<Name, string>;
  labels?: readonly string[];
  /** Asks for their values; what it leaves out is not known. */
  sample: () => Promise<Sample<Name>[]>;
  /** How long values are reused for other scrapes, ms. */
  goodForMs?: number;
  /** How long a scrape waits for it, ms. */
  waitMs?: number;
}

/**
 * Gauges whose values have to be queried, above all from a database. All scrapes share one query at a time, and its
 * result for a while. Where the query fails the gauges are absent, because old values would look like good ones.
 */
export const sampledGauges = <Name extends string>(options: SampledOptions<Name>): void => {
  const { gauges, labels = [], sample, goodForMs = 5_000, waitMs = 1_000 } = options;
  const ask = askedOnce(goodForMs, () => sample().catch(() => []));
  const look = () => firstOf(ask(), waitMs, () => []);

  for (const [name, help] of Object.entries(gauges) as [Name, string][]) {
    gauge({ name, help, labels }, async (one) => {
      const samples = (await look()).filter((sample) => sample.name === name);
      if (labels.length > 0) one.reset();
      // Its only value is 0 after a reset, and gone after this.
      else one.remove();
      for (const { labels = {}, value } of samples) one.set(labels, value);
    });
  }
};

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
  declared.push(here);

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

/** All that the process and its services measure, each metric once. */
const metricsText = async (): Promise<string> => {
  const [own] = registries.values();
  if (own && registries.size === 1) {
    for (const here of declared) here();
    return own.metrics();
  }
  const all = new Registry();
  for (const registry of registries.values()) {
    for (const metric of await registry.getMetricsAsJSON()) {
      const found = all.getSingleMetric(metric.name) as unknown as { values: object[] } | undefined;
      if (found) found.values.push(...metric.values);
      else all.registerMetric({ ...metric, get: async () => metric } as unknown as Metric);
    }
  }
  return all.metrics();
};

const answerMetrics = async (response: ServerResponse, logger: Logger): Promise<void> => {
  try {
    const text = await metricsText();
    response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
  } catch (error) {
    logger.error({ err: error }, 'the metrics could not be collected');
    response.writeHead(500).end();
  }
};

interface Listening {
  /** 0 takes any free one. */
  port: number;
  host: string;
  logger: Logger;
}

/** Between two looks at the event loop, ms: the library's 10 ms were a third of what an idle process costs. */
const eventLoopMonitoringPrecision = 100;

/**
 * Serves `/metrics`, all that this process measures in Prometheus' text format, and in JSON what `answerTo` says of other
 * paths. The process itself is measured from now on: CPU, memory, event loop, garbage collection.
 */
export const serveWithMetrics = async (
  { port, host, logger }: Listening,
  answerTo: (path: string) => Promise<{ status: number; body: object }>,
) => {
  const register = registryHere();
  if (!register.getSingleMetric('process_cpu_seconds_total')) {
    collectDefaultMetrics({ register, eventLoopMonitoringPrecision });
  }
  const server = http.createServer(async (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    if (path === '/metrics') return answerMetrics(response, logger);
    const { status, body } = await answerTo(path);
    return void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await once(server.listen(port, host), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Ends its connections, too. */
    async close() {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
};

export const notFound = { status: 404, body: { status: 'not found' } };

/** Serves `/metrics` on a port of its own, for a process whose other port is public. */
export const serveMetrics = async (at: Listening) => {
  const listener = await serveWithMetrics(at, async () => notFound);
  at.logger.info({ metrics_port: listener.port }, 'serving metrics');
  return listener;
};
