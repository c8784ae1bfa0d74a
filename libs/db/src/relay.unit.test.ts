import type { Logger } from '@cardinal/runtime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBackoff } from './relay.ts';

let lines: string[];
let backoff: ReturnType<typeof createBackoff>;

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  const logger = { error: () => lines.push('error'), info: () => lines.push('info') };
  backoff = createBackoff(logger as unknown as Logger);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Milliseconds until the next attempt. */
function pauseAfterFailure() {
  backoff.failed(new Error('down'));
  let ms = 0;
  for (; !backoff.isOver(); ms += 100) vi.advanceTimersByTime(100);
  return ms;
}

it('waits twice as long after each failure, five seconds at most', () => {
  expect(backoff.isOver()).toBe(true);
  expect(Array.from({ length: 8 }, pauseAfterFailure)).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  backoff.succeeded(0, undefined);
  expect(pauseAfterFailure()).toBe(100);
});

it('tells of a failure once a minute, and of its end once', () => {
  for (let i = 0; i < 18; i += 1) pauseAfterFailure();
  expect(lines).toEqual(['error', 'error']);
  backoff.succeeded(0, undefined);
  backoff.succeeded(0, undefined);
  expect(lines).toEqual(['error', 'error', 'info']);
});

it('does not flood the log where single events fail again and again', () => {
  for (let i = 0; i < 59; i += 1) {
    backoff.succeeded(1, new Error('refused'));
    backoff.succeeded(0, undefined);
    vi.advanceTimersByTime(1_000);
  }
  expect(lines).toEqual(['error', 'info']);
});
