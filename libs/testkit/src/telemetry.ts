import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** A span as a collector gets it, flattened. */
export type ReceivedSpan = ReturnType<typeof spansOf>[number];

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

interface ExportRequest {
  resourceSpans?: {
    resource?: { attributes?: Attribute[] };
    scopeSpans?: {
      spans?: {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        status?: { code?: number };
        attributes?: Attribute[];
      }[];
    }[];
  }[];
}

const flat = (attributes: Attribute[] = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const spansOf = (request: ExportRequest) =>
  (request.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans
      .flatMap((scope) => scope.spans ?? [])
      .map(({ traceId, spanId, parentSpanId, name, status, attributes }) => ({
        traceId,
        spanId,
        parentSpanId: parentSpanId || undefined,
        name,
        /** `service.name` of the process that made it. */
        service: String(flat(resource?.attributes)['service.name']),
        /** `service.version` of it. */
        version: String(flat(resource?.attributes)['service.version']),
        failed: status?.code === 2,
        attributes: flat(attributes),
      })),
  );

/** A small collector for `OTEL_EXPORTER_OTLP_ENDPOINT`: OTLP over HTTP in JSON, traces only. */
export const startOtlpReceiver = async () => {
  const received: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    if (!request.headers['content-type']?.includes('application/json')) return response.writeHead(415).end();
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
    if (request.url === '/v1/traces') received.push(...spansOf(JSON.parse(body.toString('utf8'))));
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Everything received so far. */
    spans: (): ReceivedSpan[] => [...received],
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** A sample of a metric. */
export type MetricSample = ReturnType<typeof sampleOf>;

/** The metrics of a process: its samples, and their descriptions. */
export type Scraped = Awaited<ReturnType<typeof scrape>>;

const line = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

const sampleOf = (text: string) => {
  const { name = '', labels = '', value = '' } = line.exec(text)?.groups ?? {};
  if (name === '') throw new Error(`No sample: ${text}`);
  return {
    name,
    labels: Object.fromEntries([...labels.matchAll(label)].map(([, key = '', said = '']) => [key, said])) as Record<
      string,
      string
    >,
    value: value.endsWith('Inf') ? Number(`${value}inity`) : Number(value),
  };
};

/** Reads a process's `/metrics`, in Prometheus' text format. @throws Error where it answers anything else */
export const scrape = async (url: string) => {
  const response = await fetch(url);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text}`);
  const samples = text
    .split('\n')
    .filter((one) => one !== '' && !one.startsWith('#'))
    .map(sampleOf);
  return {
    text,
    samples,
    /** The sum of a metric's samples that have these labels; undefined where there is none. */
    value(name: string, labels: Record<string, string> = {}) {
      const expected = Object.entries(labels);
      const found = samples.filter(
        (one) => one.name === name && expected.every(([key, said]) => one.labels[key] === said),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
};
