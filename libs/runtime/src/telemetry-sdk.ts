import { CardinalError, errorStatus } from '@cardinal/contracts';
import {
  type Context,
  context as contexts,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { ParentBasedSampler, RandomIdGenerator, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import {
  formatTraceparent,
  isSampled,
  newContext,
  parseTraceparent,
  type RequestContext,
  traceIdOf,
} from './context.ts';
import type { OpenSpan, Tracing } from './tracing.ts';

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Gives the first span of a trace the trace id that the request's context already has in its log lines. */
class ContextIdGenerator extends RandomIdGenerator {
  #next: string | undefined;

  override generateTraceId = () => this.#next ?? randomTraceId();

  withTraceId<T>(traceId: string, start: () => T): T {
    this.#next = traceId;
    try {
      return start();
    } finally {
      this.#next = undefined;
    }
  }
}

const randomIds = new RandomIdGenerator();
const randomTraceId = () => randomIds.generateTraceId();

/** Starts the OpenTelemetry SDK: spans of ours and of `pg`, in batches to an OTLP/HTTP collector. */
export const startSdk = (options: { service: string; endpoint: string; sampleRatio?: number | undefined }) => {
  const idGenerator = new ContextIdGenerator();
  const sdk = new NodeSDK({
    serviceName: options.service,
    traceExporter: new OTLPTraceExporter({ url: `${options.endpoint.replace(/\/$/, '')}/v1/traces` }),
    idGenerator,
    instrumentations: [new PgInstrumentation({ requireParentSpan: true })],
    metricReaders: [],
    logRecordProcessors: [],
    ...(options.sampleRatio === undefined
      ? {}
      : { sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) }) }),
  });
  sdk.start();
  return { tracing: tracingOf(trace.getTracer('cardinal'), idGenerator), shutdown: () => sdk.shutdown() };
};

const tracingOf = (tracer: Tracer, ids: ContextIdGenerator): Tracing => {
  const obeysCallers = leavesOutWhatCallersDo(tracer);
  return {
    open(name, attributes, kind, parent = newContext({ timeoutMs: 60_000 })) {
      const { startsTrace: root = false } = parent;
      if (obeysCallers && !root && !isSampled(parent.traceparent)) return undefined;
      const options = { kind: kinds[kind], root };
      const span = root
        ? ids.withTraceId(traceIdOf(parent), () => tracer.startSpan(name, options, ROOT_CONTEXT))
        : tracer.startSpan(name, options, parentOf(parent));
      if (span.isRecording()) return opened(span.setAttributes(attributes), parent);
      // Decided for all that follows.
      parent.startsTrace = false;
      return undefined;
    },
  };
};

const opened = (span: Span, parent: RequestContext): OpenSpan => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const flags = traceFlags.toString(16).padStart(2, '0');
  const active = trace.setSpan(contexts.active(), span);
  return {
    context: { ...parent, traceparent: formatTraceparent({ traceId, spanId, flags }), startsTrace: false },
    within: (fn) => contexts.with(active, fn),
    end(error) {
      if (error !== undefined) span.setAttribute('error.type', errorType(error));
      if (error !== undefined && isFault(error)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
};

/**
 * Whether the sampler leaves out what a caller left out, as it does unless the environment chose another one: then it
 * need not be asked. The probe has the trace id that every ratio takes; it is never ended, so it is not exported.
 */
const leavesOutWhatCallersDo = (tracer: Tracer): boolean => {
  const caller = { traceId: '1'.padStart(32, '0'), spanId: '1'.padStart(16, '0'), traceFlags: 0, isRemote: true };
  return !tracer.startSpan('probe', {}, trace.setSpanContext(ROOT_CONTEXT, caller)).isRecording();
};

const errorType = (error: unknown): string => {
  if (error instanceof CardinalError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
};

/** A refusal that a rule of the product raises is a good answer; the rest is our fault. */
const isFault = (error: unknown): boolean => !(error instanceof CardinalError) || errorStatus[error.code] >= 500;

/** The span named by the request's `traceparent`, whether it was opened here or by the caller. */
const parentOf = (parent: RequestContext): Context => {
  const incoming = parseTraceparent(parent.traceparent);
  if (!incoming) return ROOT_CONTEXT;
  const { traceId, spanId, flags } = incoming;
  const active = trace.getSpanContext(contexts.active());
  if (active?.spanId === spanId) return contexts.active();
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
};
