import { describe, expect, it } from 'vitest';
import { defaultRetryPolicy, type Failure, nextTryIn, retryAfterMs } from './retry.ts';

const answered = (status: number, retryAfter: string | null = null): Failure => ({
  kind: 'answered',
  status,
  retryAfter,
});
const now = Date.parse('2026-01-01T00:00:00Z');
const first = { sent: 1, repeatable: true, now, random: 1 };

describe('nextTryIn', () => {
  it.each([429, 503])('tries again after %i, whatever the request', (status) => {
    expect(nextTryIn(answered(status), { ...first, repeatable: false }, defaultRetryPolicy)).toBe(200);
  });

  it.each([400, 401, 404, 409, 412, 422, 428, 500])('gives up after %i', (status) => {
    expect(nextTryIn(answered(status), first, defaultRetryPolicy)).toBeUndefined();
  });

  it('repeats a request whose answer was lost only where that is safe', () => {
    const lost: Failure = { kind: 'lost', neverSent: false };
    expect(nextTryIn(lost, first, defaultRetryPolicy)).toBe(200);
    expect(nextTryIn(lost, { ...first, repeatable: false }, defaultRetryPolicy)).toBeUndefined();
    expect(nextTryIn({ ...lost, neverSent: true }, { ...first, repeatable: false }, defaultRetryPolicy)).toBe(200);
  });

  it.each([502, 504])('treats %i of a proxy as a lost answer', (status) => {
    expect(nextTryIn(answered(status), first, defaultRetryPolicy)).toBe(200);
    expect(nextTryIn(answered(status), { ...first, repeatable: false }, defaultRetryPolicy)).toBeUndefined();
  });

  it('doubles the wait up to the cap and takes a random part of it', () => {
    const policy = { ...defaultRetryPolicy, attempts: 10 };
    const waits = [1, 2, 3, 4, 5, 6, 7].map((sent) => nextTryIn(answered(503), { ...first, sent }, policy));
    expect(waits).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
    expect(nextTryIn(answered(503), { ...first, random: 0.25 }, policy)).toBe(50);
  });

  it('stops after the last attempt', () => {
    expect(nextTryIn(answered(503), { ...first, sent: 4 }, defaultRetryPolicy)).toBeDefined();
    expect(nextTryIn(answered(503), { ...first, sent: 5 }, defaultRetryPolicy)).toBeUndefined();
  });

  it('waits at least as long as the server asks, unless that is too long', () => {
    expect(nextTryIn(answered(429, '7'), { ...first, random: 0 }, defaultRetryPolicy)).toBe(7_000);
    expect(nextTryIn(answered(429, '7'), { ...first, random: 0.5 }, defaultRetryPolicy)).toBe(7_100);
    expect(nextTryIn(answered(429, '61'), first, defaultRetryPolicy)).toBeUndefined();
  });
});

describe('retryAfterMs', () => {
  it.each([
    ['3', 3_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('reads %j as %j', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});
