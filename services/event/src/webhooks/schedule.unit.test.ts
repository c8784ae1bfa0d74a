import { describe, expect, it } from 'vitest';
import { nextTry, readRetryAfter } from './schedule.ts';

const hour = 3_600_000;

/** The times of all attempts of an event that always fails, ms after the first one. */
const attemptTimes = (random: () => number) => {
  const times = [0];
  for (;;) {
    const now = times.at(-1) ?? 0;
    const retryAt = nextTry({ attempts: times.length, firstFailedAt: 0, now }, random);
    if (retryAt === undefined) return times;
    times.push(retryAt);
  }
};

describe('nextTry', () => {
  it('retries after 5 s, 30 s, 2 min, 10 min, 1 h, then every 6 h, until three days are over', () => {
    const times = attemptTimes(() => 0);
    const pauses = times.slice(1).map((time, at) => (time - (times[at] ?? 0)) / 1_000);
    expect(pauses.slice(0, 5)).toEqual([5, 30, 120, 600, 3_600]);
    expect(new Set(pauses.slice(5, -1))).toEqual(new Set([21_600]));
    expect(times.at(-1)).toBe(72 * hour);
  });

  it('adds jitter that never makes a retry earlier, or the last one later', () => {
    const [early, late] = [attemptTimes(() => 0), attemptTimes(() => 1)];
    for (const [at, time] of late.entries()) expect(time).toBeGreaterThanOrEqual(early[at] ?? 0);
    expect(late[1]).toBe(6_000);
    expect(late.at(-1)).toBe(72 * hour);
  });

  it('waits at least as long as the receiver asked', () => {
    const failure = { attempts: 1, firstFailedAt: 0, now: 0 };
    expect(nextTry({ ...failure, retryAfterMs: 60_000 }, () => 0)).toBe(60_000);
    expect(nextTry({ ...failure, retryAfterMs: 1 }, () => 0)).toBe(5_000);
  });
});

describe('readRetryAfter', () => {
  it('parses seconds and dates', () => {
    const now = Date.parse('2030-01-01T00:00:00Z');
    expect(readRetryAfter('120', now)).toBe(120_000);
    expect(readRetryAfter('Tue, 01 Jan 2030 00:01:00 GMT', now)).toBe(60_000);
    expect(readRetryAfter('Mon, 31 Dec 2029 00:00:00 GMT', now)).toBe(0);
  });

  it('returns undefined for invalid headers, and a day at most', () => {
    for (const value of [undefined, '', 'soon']) expect(readRetryAfter(value, 0)).toBeUndefined();
    expect(readRetryAfter('99999999999', 0)).toBe(24 * hour);
  });
});
