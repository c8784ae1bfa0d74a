import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBacklog } from './backlog.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const backlogOf = (...ids: string[]) => {
  const onDue = vi.fn();
  const backlog = createBacklog(onDue);
  for (const id of ids) backlog.want(id);
  return { ...backlog, onDue };
};

it('takes workspaces in the order of arrival, each once', () => {
  const backlog = backlogOf('a', 'b', 'a', 'c');
  expect(backlog.take(2)).toEqual(['a', 'b']);
  expect(backlog.take(2)).toEqual(['c']);
  expect(backlog.isEmpty()).toBe(true);
});

it('takes a workspace again that was nudged during its round', () => {
  const backlog = backlogOf('a');
  backlog.take(1);
  backlog.want('a');
  backlog.done('a');
  expect(backlog.take(1)).toEqual(['a']);
  backlog.done('a');
  expect(backlog.take(1)).toEqual([]);
  expect(backlog.oldest()).toBeUndefined();
});

it('pauses a workspace without progress, longer each time, up to a second', () => {
  const backlog = backlogOf('a');
  const pauses = Array.from({ length: 10 }, () => {
    expect(backlog.take(1)).toEqual(['a']);
    const before = Date.now();
    backlog.later('a', false);
    expect(backlog.isEmpty()).toBe(true);
    vi.advanceTimersToNextTimer();
    return Date.now() - before;
  });
  expect(pauses).toEqual([4, 8, 16, 32, 64, 128, 256, 512, 1_000, 1_000]);
  expect(backlog.onDue).toHaveBeenCalledTimes(10);
  backlog.take(1);
  backlog.again('a');
  backlog.take(1);
  backlog.later('a', false);
  vi.advanceTimersByTime(4);
  expect(backlog.take(1)).toEqual(['a']);
});

it('takes a workspace that makes rounds fail alone, and never twice before the others', () => {
  const backlog = backlogOf('bad', 'worse');
  for (const id of backlog.take(2)) backlog.later(id, true);
  vi.advanceTimersByTime(4);
  backlog.want('good');
  const rounds = Array.from({ length: 4 }, () => {
    const ids = backlog.take(10);
    if (ids.includes('good')) backlog.again('good');
    return ids;
  });
  expect(rounds).toEqual([['bad'], ['good'], ['worse'], ['good']]);
});

it('reports when the oldest workspace fell behind, until it makes progress', () => {
  const backlog = backlogOf('a');
  const since = Date.now();
  vi.advanceTimersByTime(500);
  backlog.want('b');
  backlog.take(2);
  backlog.later('a', false);
  backlog.done('b');
  expect(backlog.oldest()).toBe(since);
  backlog.again('a');
  expect(backlog.oldest()).toBe(since + 500);
});

it('does not call onDue after it was stopped', () => {
  const backlog = backlogOf('a');
  backlog.take(1);
  backlog.later('a', false);
  backlog.stop();
  vi.advanceTimersByTime(10_000);
  expect(backlog.onDue).not.toHaveBeenCalled();
});
