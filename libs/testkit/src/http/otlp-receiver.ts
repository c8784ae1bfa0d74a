import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** A span as a collector gets it, flattened. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  /** `service.name` of the process that made it. */
  service: string;
  attributes: Record<string, unknown>;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

interface ExportRequest {
  resourceSpans?: {
    resource?: { attributes?: Attribute[] };
    scopeSpans?: {
      spans?: { traceId: string; spanId: string; parentSpanId?: string; name: string; attributes?: Attribute[] }[];
    }[];
  }[];
}

const flat = (attributes: Attribute[] = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const spansOf = (request: ExportRequest): ReceivedSpan[] =>
  (request.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans
      .flatMap((scope) => scope.spans ?? [])
      .map(({ traceId, spanId, parentSpanId, name, attributes }) => ({
        traceId,
        spanId,
        parentSpanId: parentSpanId || undefined,
        name,
        service: String(flat(resource?.attributes)['service.name']),
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
