import { createRequire } from 'node:module';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { currentContext, isSampled, spanIdOf, traceIdOf } from './context.ts';

export type { Logger } from 'pino';

const secretHeaders = ['authorization', 'cookie', 'idempotency-key'];
/** Named one by one: each wildcard would cost more than writing the line. */
const secretPaths = [
  ...['', 'headers', 'req.headers', 'request.headers'].flatMap((parent) =>
    secretHeaders.map((name) => `${parent}["${name}"]`),
  ),
  ...['token', 'password', 'body', 'req.body', 'request.body', 'databaseUrl', 'natsUrl'],
];

/** An error as logs show it. What a driver adds of the data (Postgres's `detail`) stays out. */
const errorOfLine = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const { code, constraint, cause } = error as Error & { code?: unknown; constraint?: unknown };
  return { type: error.name, message: error.message, stack: error.stack, code, constraint, cause: errorOfLine(cause) };
};

/** Bytes of lines kept while they cannot be written; further ones are lost. */
const maxUnwritten = 1024 * 1024;

/**
 * Written synchronously: what an asynchronous stream still holds is lost when the process exits. A line that cannot be
 * written (a full disk) must not fail the caller; it is retried with the next one.
 */
const stdout = () => destination({ fd: 1, sync: true, maxLength: maxUnwritten }).on('error', () => {});

/** Lines for a person, where stdout is a terminal and pino-pretty is installed: a development dependency, in no image. */
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
 * A logger of JSON lines on stdout, readable ones where that is a terminal. Every line carries the service and, inside a
 * request, its request and trace id, and its span's where the trace is recorded; tokens, keys and bodies are never written.
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
