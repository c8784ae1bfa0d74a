import { createLogger } from '@cardinal/runtime';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { repeatedLines } from './repeated-lines.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const scene = () => {
  const written: { msg: string; status: number; more?: number }[] = [];
  const destination = { write: (line: string) => void written.push(JSON.parse(line)) };
  const lines = repeatedLines(createLogger({ service: 'gateway', destination }));
  const refuse = (kind: string, status = 401) =>
    lines.log(kind, { level: 'info', fields: { status }, message: 'request' });
  return { written, lines, refuse };
};

describe('lines of one kind', () => {
  it('are logged once in ten seconds, with how many more there were', () => {
    const { written, refuse } = scene();
    for (let count = 0; count < 2_000; count += 1) refuse('a');
    refuse('b', 404);
    expect(written).toMatchObject([{ status: 401, msg: 'request' }, { status: 404 }]);
    vi.advanceTimersByTime(10_000);
    expect(written.slice(2)).toMatchObject([{ status: 401, more: 1_999, msg: 'request, and more of the same kind' }]);
    refuse('a');
    expect(written).toHaveLength(4);
  });

  it('are counted as one kind where there are too many', () => {
    const { written, refuse } = scene();
    for (let count = 0; count < 5_000; count += 1) refuse(`kind ${count}`);
    expect(written).toHaveLength(1_001);
  });

  it('are logged at once when the process ends', () => {
    const { written, lines, refuse } = scene();
    refuse('a');
    refuse('a');
    lines.flush();
    expect(written).toMatchObject([{}, { more: 1 }]);
  });
});
