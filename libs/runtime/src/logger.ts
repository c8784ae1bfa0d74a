import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { currentContext, traceIdOf } from './context.ts';

export type { Logger } from 'pino';

const secrets = ['authorization', 'cookie', 'password', 'token', 'idempotency-key', 'body', 'databaseUrl', 'natsUrl'];
const secretPaths = secrets.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

const contextOfLine = () => {
  const context = currentContext();
  return context ? { request_id: context.requestId, trace_id: traceIdOf(context) } : {};
};

/**
 * A logger of JSON lines on stdout. Every line carries the service and, inside a request, its request and trace id;
 * tokens, keys and bodies are never written.
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
      redact: { paths: secretPaths, censor: '[redacted]' },
    },
    ...(options.destination ? [options.destination] : []),
  );
