import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  currentContext,
  inBackground,
  newContext,
  newTraceparent,
  parseTraceparent,
  requestIdOf,
  runInContext,
  traceIdOf,
  withoutCaller,
} from './context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('traceparent', () => {
  it.each([
    ['sampled', `00-${traceId}-${spanId}-01`, { traceId, spanId, flags: '01' }],
    ['a later version with more fields', `cc-${traceId}-${spanId}-00-more`, { traceId, spanId, flags: '00' }],
    ['absent', undefined, undefined],
    ['empty', '', undefined],
    ['version ff', `ff-${traceId}-${spanId}-01`, undefined],
    ['version 00 with more fields', `00-${traceId}-${spanId}-01-more`, undefined],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`, undefined],
    ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`, undefined],
    ['upper case', `00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  ])('%s', (_, header, expected) => {
    expect(parseTraceparent(header)).toEqual(expected);
  });

  it('begins a trace that is not sampled yet', () => {
    expect(parseTraceparent(newTraceparent())?.flags).toBe('00');
    const many = Array.from({ length: 1_000 }, newTraceparent);
    expect(many.every((one) => parseTraceparent(one))).toBe(true);
    expect(new Set(many.map((one) => one.slice(3, 35))).size).toBe(many.length);
  });
});

describe('newContext', () => {
  it('continues an incoming trace', () => {
    const context = newContext({ requestId: 'r', traceparent: `00-${traceId}-${spanId}-01`, timeoutMs: 1_000 });
    expect(context).toMatchObject({ requestId: 'r', traceparent: `00-${traceId}-${spanId}-01` });
    expect(traceIdOf(context)).toBe(traceId);
    expect(context.startsTrace).toBeUndefined();
  });

  it('begins a trace and a request where none arrives', () => {
    const context = newContext({ requestId: '', traceparent: 'broken', timeoutMs: 1_000 });
    expect(context.requestId).not.toBe('');
    expect(traceIdOf(context)).toMatch(/^[0-9a-f]{32}$/);
    expect(context.startsTrace).toBe(true);
  });

  it('sets the deadline to the end of the caller’s time', () => {
    const before = Date.now();
    const { deadline } = newContext({ timeoutMs: 1_000 });
    expect(deadline).toBeGreaterThanOrEqual(before + 1_000);
    expect(deadline).toBeLessThanOrEqual(Date.now() + 1_000);
  });
});

describe('background work', () => {
  const caller = { workspaceId: 'w', userId: 'u' };
  const callerNow = async () => currentContext()?.caller;

  it('keeps the caller of the request, so that workspaces share fairly', async () => {
    const inRequest = <T>(fn: () => T) => runInContext(newContext({ timeoutMs: 1_000, caller }), fn);
    expect(await inRequest(() => inBackground(callerNow))).toEqual(caller);
    expect(await inRequest(() => inBackground(() => withoutCaller(callerNow)))).toBeUndefined();
  });
});

const idFor = (sent?: string) => requestIdOf({ headers: { 'x-request-id': sent } } as unknown as IncomingMessage);

describe('requestIdOf', () => {
  it.each(['a', 'A-z_0.9', 'r'.repeat(128)])('keeps %s', (id) => {
    expect(idFor(id)).toBe(id);
  });

  it.each([undefined, '', 'a b', 'a,b', 'é', '<script>', 'r'.repeat(129)])('replaces %j', (id) => {
    expect(idFor(id)).toMatch(/^[0-9a-f-]{36}$/);
  });
});
