import { describe, expect, it } from 'vitest';
import { newContext, runInContext, traceIdOf } from './context.ts';
import { createLogger } from './logger.ts';

const linesOf = (write: (logger: ReturnType<typeof createLogger>) => void) => {
  const lines: string[] = [];
  write(createLogger({ service: 'card', level: 'debug', destination: { write: (line) => lines.push(line) } }));
  return lines.map((line) => JSON.parse(line));
};

describe('createLogger', () => {
  it('writes the request and trace of a line', () => {
    const context = newContext({ requestId: 'req-1', timeoutMs: 1_000 });
    const [outside, inside] = linesOf((logger) => {
      logger.info('outside');
      runInContext(context, () => logger.info({ port: 1 }, 'inside'));
    });
    expect(outside).toMatchObject({ level: 'info', service: 'card', msg: 'outside' });
    expect(outside).not.toHaveProperty('request_id');
    expect(inside).toMatchObject({ request_id: 'req-1', trace_id: traceIdOf(context), port: 1, msg: 'inside' });
  });

  it('never writes a token, a key or a body', () => {
    const secret = 'a-very-secret-text';
    const headers = { authorization: secret, cookie: secret, 'idempotency-key': secret, accept: 'x' };
    const lines = linesOf((logger) => {
      logger.info({ headers, req: { headers, body: secret }, request: { headers, body: secret } });
      logger.info({ token: secret, body: { title: secret }, databaseUrl: secret, natsUrl: secret, password: secret });
    });
    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(lines[0].headers.accept).toBe('x');
  });

  it('writes an error with its stack and cause, without the data that the driver adds', () => {
    const cause = Object.assign(new Error('duplicate key'), { code: '23505', constraint: 'uq', detail: 'Key (title)' });
    const [line] = linesOf((logger) => logger.error({ err: new Error('failed', { cause }) }, 'it failed'));
    expect(line.err).toMatchObject({ message: 'failed', cause: { code: '23505', constraint: 'uq' } });
    expect(line.err.stack).toContain('logger.unit.test');
    expect(JSON.stringify(line)).not.toContain('Key (title)');
  });
});
