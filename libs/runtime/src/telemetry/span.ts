import { currentContext, runInContext } from '../context.ts';
import { currentTracing, type OpenSpan, type SpanAttributes, type SpanKind } from './tracing.ts';

/**
 * Runs `fn` as a span, a child of the current context's, and in a context whose `traceparent` is that span's. An error
 * passes; the span tells its kind, and that it failed unless it is a refusal by the rules. While telemetry is off this is `fn()`.
 */
export const span = async <T>(
  name: string,
  attributes: SpanAttributes,
  fn: () => T | Promise<T>,
  kind: SpanKind = 'internal',
): Promise<T> => {
  const open = openSpan(name, attributes, kind);
  if (!open) return fn();
  try {
    const result = await open.within(() => runInContext(open.context, fn));
    open.end();
    return result;
  } catch (error) {
    open.end(error);
    throw error;
  }
};

/**
 * Starts a span that someone else ends, for callers that cannot wrap their work in one function (HTTP hooks).
 * Undefined while telemetry is off.
 */
export const openSpan = (name: string, attributes: SpanAttributes, kind: SpanKind = 'internal'): OpenSpan | undefined =>
  currentTracing()?.open(name, attributes, kind, currentContext());
