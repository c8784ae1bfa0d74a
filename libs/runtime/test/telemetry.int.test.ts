import { startOtlpReceiver } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { logLines, runProgram } from './run-program.ts';

const telemetry = new URL('./programs/telemetry.ts', import.meta.url);

const receiver = async () => {
  const { endpoint, spans, stop } = await startOtlpReceiver();
  onTestFinished(stop);
  return { url: endpoint, spans, named: (name: string) => spans().find((span) => span.name === name) };
};

describe('startTelemetry', () => {
  it('loads nothing of the SDK without an endpoint', async () => {
    const { stdout, code } = await runProgram(telemetry).closed;
    expect(code).toBe(0);
    expect(logLines(stdout).at(-1)).toMatchObject({ msg: 'done', sdk: false });
  });

  it('exports spans with the trace id of the log, under the caller’s span where there is one', async () => {
    const { url, named } = await receiver();
    const { stdout } = await runProgram(telemetry, { args: [url] }).closed;
    const root = named('root');
    const child = named('child');
    expect(root?.parentSpanId).toBeUndefined();
    expect(child).toMatchObject({ traceId: root?.traceId, parentSpanId: root?.spanId });
    expect(named('failing')?.failed).toBe(true);
    const line = logLines(stdout).find(({ msg }) => msg === 'in child');
    expect(line).toMatchObject({ request_id: expect.any(String), trace_id: root?.traceId, span_id: child?.spanId });
    expect(line?.traceparent).toBe(`00-${child?.traceId}-${child?.spanId}-${String(line?.traceparent).slice(-2)}`);
    expect(named('incoming 01')).toMatchObject({ traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16) });
    expect(named('opened')).toBeDefined();
  });

  it('keeps the caller’s decision on an incoming trace, and samples its own traces by the ratio', async () => {
    const { url, spans } = await receiver();
    const env = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    const { stdout } = await runProgram(telemetry, { args: [url], env }).closed;
    expect(spans().map((span) => span.name)).toEqual(['incoming 01']);
    // A log line names no span that is not recorded.
    const line = logLines(stdout).find(({ msg }) => msg === 'in child');
    expect(line).toMatchObject({ request_id: expect.any(String), trace_id: expect.any(String) });
    expect(line).not.toHaveProperty('span_id');
  });

  it('honours OTEL_TRACES_SAMPLER', async () => {
    const { url, spans } = await receiver();
    await runProgram(telemetry, { args: [url], env: { OTEL_TRACES_SAMPLER: 'always_off' } }).closed;
    expect(spans()).toEqual([]);
  });

  it('records traces that the caller does not sample where OTEL_TRACES_SAMPLER demands it', async () => {
    const { url, named } = await receiver();
    await runProgram(telemetry, { args: [url], env: { OTEL_TRACES_SAMPLER: 'always_on' } }).closed;
    expect(named('incoming 00')).toMatchObject({ traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16) });
  });

  it('stops although the collector does not answer', async () => {
    const { stdout, code } = await runProgram(telemetry, { args: ['http://127.0.0.1:9'] }).closed;
    expect(code).toBe(0);
    expect(logLines(stdout).at(-1)?.stopMs).toBeLessThan(9_000);
  });
});
