import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { askedOnce, firstOf } from './context.ts';
import { http } from './http.ts';
import type { Logger } from './logger.ts';
import { currentService } from './service-scope.ts';

interface Described<Label extends string> {
  /** By Prometheus' conventions: `cardinal_…`, base units, `_total` for counters. */
  name: string;
  help: string;
  labels?: readonly Label[];
}

/**
 * The registries: of the process itself, without a name, and of each service that shares the process (`inService`),
 * with the label `service`.
 */
const registries = new Map<string | undefined, Registry>();

/** Creates declared metrics, so that a process of one service shows them from the start, at 0. */
const declared: (() => unknown)[] = [];

/** The registry of the current service. */
const registryHere = (): Registry => {
  const service = currentService();
  const found = registries.get(service);
  if (found) return found;
  const made = new Registry();
  if (service) made.setDefaultLabels({ service });
  registries.set(service, made);
  return made;
};

/** Makes one instance of `make` per service of this process, at first use there. */
export const inEach = <Made>(make: (registry: Registry) => Made): (() => Made) => {
  const made = new WeakMap<Registry, Made>();
  const here = () => {
    const registry = registryHere();
    const one = made.get(registry) ?? make(registry);
    made.set(registry, one);
    return one;
  };
  declared.push(here);
  return here;
};

const configOf = <Label extends string>({ name, help, labels = [] }: Described<Label>, registry: Registry) => ({
  name,
  help,
  labelNames: labels,
  registers: [registry],
});

/**
 * Declares a counter. The result returns that of the current service. An increment takes a quarter of a microsecond:
 * count what every request does with a `requestMeter`.
 */
export const counter = <Label extends string = never>(described: Described<Label>): (() => Counter<Label>) =>
  inEach((registry) => new Counter(configOf(described, registry)));

/**
 * Declares a histogram; `buckets` are upper bounds. The result returns that of the current service. An observation
 * takes half a microsecond, see `counter`.
 */
export const histogram = <Label extends string = never>(
  described: Described<Label> & { buckets: number[] },
): (() => Histogram<Label>) =>
  inEach((registry) => new Histogram({ ...configOf(described, registry), buckets: described.buckets }));

/**
 * Declares a gauge that is read at each scrape. A second gauge of the same name replaces the first: a service has one
 * pool and one connection to the broker, but tests have several in a row.
 * @param look sets its value
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
  /** The help text of each gauge, by name. */
  gauges: Record<Name, string>;
  labels?: readonly string[];
  /** Reads their values. A gauge that it leaves out is absent. */
  sample: () => Promise<Sample<Name>[]>;
  /** How long values are reused, ms. */
  goodForMs?: number;
  /** How long a scrape waits, ms. */
  waitMs?: number;
}

/**
 * Declares gauges whose values are queried, for example from a database. Scrapes share one query at a time, and reuse
 * its result for a while. Where the query fails the gauges are absent: old values would look current.
 */
export const sampledGauges = <Name extends string>(options: SampledOptions<Name>): void => {
  const { gauges, labels = [], sample, goodForMs = 5_000, waitMs = 1_000 } = options;
  const ask = askedOnce(goodForMs, () => sample().catch(() => []));
  const look = () => firstOf(ask(), waitMs, () => []);

  for (const [name, help] of Object.entries(gauges) as [Name, string][]) {
    gauge({ name, help, labels }, async (one) => {
      const samples = (await look()).filter((sample) => sample.name === name);
      if (labels.length > 0) one.reset();
      // Its only value is 0 after a reset, and absent after this.
      else one.remove();
      for (const { labels = {}, value } of samples) one.set(labels, value);
    });
  }
};

/** All metrics of the process and its services, each metric once. */
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
  /** 0 takes any free port. */
  port: number;
  host: string;
  logger: Logger;
}

/** Resolution of the event loop's measurement, ms. The library's 10 ms were a third of the CPU of an idle process. */
const eventLoopMonitoringPrecision = 100;

/**
 * Serves `/metrics` in Prometheus' text format, and the JSON of `answerTo` at other paths. From now on it measures the
 * process itself: CPU, memory, event loop, garbage collection.
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
    /** Closes open connections, too. */
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
