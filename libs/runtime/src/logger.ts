import { createRequire } from 'node:module';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { currentContext, isSampled, spanIdOf, traceIdOf } from './context.ts';

export type { Logger } from 'pino';

const secretHeaders = ['authorization', 'cookie', 'idempotency-key'];
/** Named one by one: a wildcard costs more than writing the line. */
const secretPaths = [
  ...['', 'headers', 'req.headers', 'request.headers'].flatMap((parent) =>
    secretHeaders.map((name) => `${parent}["${name}"]`),
  ),
  ...['token', 'password', 'body', 'req.body', 'request.body', 'databaseUrl', 'natsUrl'],
];

/** An error as logs show it, without data that a driver adds (Postgres's `detail`). */
const errorOfLine = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const { code, constraint, cause } = error as Error & { code?: unknown; constraint?: unknown };
  return { type: error.name, message: error.message, stack: error.stack, code, constraint, cause: errorOfLine(cause) };
};

/** Most bytes of lines that could not be written yet; further lines are lost. */
const maxUnwritten = 1024 * 1024;

/**
 * Synchronous: an asynchronous stream loses its buffer when the process exits. A line that cannot be written (a full
 * disk) must not fail the caller; it is retried with the next one.
 */
const stdout = () => destination({ fd: 1, sync: true, maxLength: maxUnwritten }).on('error', () => {});

/** Readable lines, where stdout is a terminal and pino-pretty is installed: a development dependency, in no image. */
const terminal = (): DestinationStream | undefined => {
  if (!process.stdout.isTTY) return undefined;
  try {
    const pretty = createRequire(import.meta.url)('pino-pretty') as (options: object) => DestinationStream;
    return pretty({ sync: true, singleLine: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' });
  } catch {
    return undefined;
  }
};

const contextOfLine = () => {
  const context = currentContext();
  if (!context) return {};
  const ids = { request_id: context.requestId, trace_id: traceIdOf(context) };
  return isSampled(context.traceparent) ? { ...ids, span_id: spanIdOf(context.traceparent) } : ids;
};

/**
 * Makes a logger of JSON lines on stdout, readable ones on a terminal. Every line has the service and, inside a
 * request, the request and trace ids, and the span id where the trace is recorded. Tokens, keys and bodies are never
 * written.
 */
export const createLogger = (options: {
  service: string;
  level?: string | undefined;
  destination?: DestinationStream;
}): Logger =>
  pino(
    {
      level: options.level ?? 'info',
      base: { service: options.service },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      mixin: contextOfLine,
      serializers: { err: errorOfLine },
      redact: { paths: secretPaths, censor: '[redacted]' },
    },
    options.destination ?? terminal() ?? stdout(),
  );
