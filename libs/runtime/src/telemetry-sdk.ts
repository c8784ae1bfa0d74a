import { CardinalError, errorStatus, release } from '@cardinal/contracts';
import {
  type Context,
  context as contexts,
  SpanKind as OtelKind,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { RandomIdGenerator } from '@opentelemetry/sdk-trace';
import {
  currentContext,
  formatTraceparent,
  isSampled,
  newContext,
  type OpenSpan,
  parseTraceparent,
  type RequestContext,
  type SpanKind,
  type StartSpan,
  traceIdOf,
} from './context.ts';

const kindOf = (kind: SpanKind) => OtelKind[kind.toUpperCase() as Uppercase<SpanKind>];

const random = new RandomIdGenerator();
const idGenerator = {
  /** The first span of a trace gets the trace id of the request's context, which is in log lines already. */
  generateTraceId: () => {
    const context = currentContext();
    return context ? traceIdOf(context) : random.generateTraceId();
  },
  generateSpanId: () => random.generateSpanId(),
};

/** Starts the OpenTelemetry SDK: our spans and those of `pg`, in batches to an OTLP/HTTP collector. */
export const startSdk = (service: string, endpoint: string) => {
  const sdk = new NodeSDK({
    serviceName: service,
    resource: resourceFromAttributes({ 'service.version': release }),
    traceExporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }),
    idGenerator,
    instrumentations: [new PgInstrumentation({ requireParentSpan: true })],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const tracer = trace.getTracer('cardinal');
  const obeysCallers = leavesOutWhatCallersDo(tracer);
  const open: StartSpan = (name, attributes, kind, parent = newContext({ timeoutMs: 60_000 })) => {
    if (obeysCallers && !parent.startsTrace && !isSampled(parent.traceparent)) return undefined;
    const span = tracer.startSpan(name, { kind: kindOf(kind) }, parentOf(parent));
    if (span.isRecording()) return opened(span.setAttributes(attributes), parent);
    // Decides for the rest of the trace.
    parent.startsTrace = false;
    return undefined;
  };
  return {
    open,
    shutdown() {
      // A process has one global provider, and the SDK leaves its own in place: a later start would get that dead one.
      trace.disable();
      contexts.disable();
      propagation.disable();
      return sdk.shutdown();
    },
  };
};

const opened = (span: Span, parent: RequestContext): OpenSpan => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const flags = traceFlags.toString(16).padStart(2, '0');
  const active = trace.setSpan(contexts.active(), span);
  return {
    context: { ...parent, traceparent: formatTraceparent(traceId, spanId, flags), startsTrace: false },
    within: (fn) => contexts.with(active, fn),
    end(error) {
      if (error !== undefined) span.setAttribute('error.type', errorType(error));
      if (error !== undefined && isFault(error)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
};

/**
 * Whether the sampler always follows the caller's decision not to sample, as it does by default: then it need not be
 * asked. The probe has the trace id that every ratio samples. It is never ended, so it is not exported.
 */
const leavesOutWhatCallersDo = (tracer: Tracer): boolean => {
  const caller = { traceId: '1'.padStart(32, '0'), spanId: '1'.padStart(16, '0'), traceFlags: 0, isRemote: true };
  return !tracer.startSpan('probe', {}, trace.setSpanContext(ROOT_CONTEXT, caller)).isRecording();
};

const errorType = (error: unknown): string => {
  if (error instanceof CardinalError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
};

/** A refusal by a rule of the product is no failure; other errors are. */
const isFault = (error: unknown): boolean => !(error instanceof CardinalError) || errorStatus[error.code] >= 500;

/** The parent span of the request's `traceparent`, opened here or by the caller; the root where a trace begins. */
const parentOf = (parent: RequestContext): Context => {
  const incoming = parent.startsTrace ? undefined : parseTraceparent(parent.traceparent);
  if (!incoming) return ROOT_CONTEXT;
  const { traceId, spanId, flags } = incoming;
  const active = trace.getSpanContext(contexts.active());
  if (active?.spanId === spanId) return contexts.active();
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
};
