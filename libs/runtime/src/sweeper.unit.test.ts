import { unavailable } from '@cardinal/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { currentContext } from './context.ts';
import { createLogger } from './logger.ts';
import { sweeper } from './sweeper.ts';

const lines: string[] = [];
const logger = createLogger({ service: 'card', destination: { write: (line) => lines.push(line) } });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('sweeper', () => {
  it('runs at once and again after each pause, each round in its own context', async () => {
    const requests: (string | undefined)[] = [];
    const run = async () => {
      requests.push(currentContext()?.requestId);
    };
    const sweep = sweeper({ name: 'test', intervalMs: 1_000, jitter: 0, run, logger });
    await vi.advanceTimersByTimeAsync(0);
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(requests).toHaveLength(3);
    expect(new Set(requests).size).toBe(3);
    expect(requests).not.toContain(undefined);
    await sweep.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(requests).toHaveLength(3);
  });

  it('never runs two rounds at a time; a nudge during a round brings one more', async () => {
    let running = 0;
    let rounds = 0;
    let finish = () => {};
    const run = async () => {
      running += 1;
      expect(running).toBe(1);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      running -= 1;
      rounds += 1;
    };
    const sweep = sweeper({ name: 'test', intervalMs: 1_000, jitter: 0, run, logger });
    sweep.nudge();
    sweep.nudge();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(rounds).toBe(0);
    finish();
    await vi.advanceTimersByTimeAsync(0);
    expect([rounds, running]).toEqual([1, 1]);
    finish();
    await vi.advanceTimersByTimeAsync(0);
    expect([rounds, running]).toEqual([2, 0]);
    sweep.nudge();
    const stopped = sweep.stop();
    expect(running).toBe(1);
    finish();
    await stopped;
    expect(rounds).toBe(3);
  });

  it('rests before a nudged round, which all nudges in that time share', async () => {
    let rounds = 0;
    const run = async () => {
      rounds += 1;
    };
    const sweep = sweeper({ name: 'test', intervalMs: 1_000, jitter: 0, restMs: 25, run, logger });
    await vi.advanceTimersByTimeAsync(25);
    sweep.nudge();
    expect(rounds).toBe(2);
    for (let at = 0; at < 3; at += 1) {
      await vi.advanceTimersByTimeAsync(8);
      sweep.nudge();
    }
    expect(rounds).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(rounds).toBe(3);
    await vi.advanceTimersByTimeAsync(900);
    expect(rounds).toBe(3);
    sweep.nudge();
    expect(rounds).toBe(4);
    await sweep.stop();
  });

  it('rests as a function of the time that the round took', async () => {
    let rounds = 0;
    const run = async () => {
      rounds += 1;
      await new Promise((resolve) => setTimeout(resolve, 50 * rounds));
    };
    const restMs = (tookMs: number) => 2 * tookMs;
    const sweep = sweeper({ name: 'test', intervalMs: 1_000, jitter: 0, restMs, run, logger });
    sweep.nudge();
    await vi.advanceTimersByTimeAsync(50 + 99);
    expect(rounds).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(rounds).toBe(2);
    sweep.nudge();
    await vi.advanceTimersByTimeAsync(100 + 199);
    expect(rounds).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(rounds).toBe(3);
    const stopped = sweep.stop();
    await vi.advanceTimersByTimeAsync(150);
    await stopped;
  });

  it('continues after failed rounds: later and later, with a log line a minute, and one at the end', async () => {
    let [rounds, isAway] = [0, true];
    const run = async () => {
      rounds += 1;
      if (isAway) throw new Error('away');
    };
    lines.length = 0;
    const sweep = sweeper({ name: 'confirm', intervalMs: 1_000, jitter: 0, run, logger });
    const roundsAfter = async (ms: number) => {
      sweep.nudge();
      sweep.nudge();
      await vi.advanceTimersByTimeAsync(ms);
      return rounds;
    };
    await vi.advanceTimersByTimeAsync(0);
    expect([await roundsAfter(99), await roundsAfter(1), await roundsAfter(199), await roundsAfter(1)]).toEqual([
      1, 2, 2, 3,
    ]);
    await vi.advanceTimersByTimeAsync(60_000);
    isAway = false;
    await vi.advanceTimersByTimeAsync(2_000);
    const failed = { level: 'error', sweeper: 'confirm', err: { message: 'away' } };
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      failed,
      failed,
      { level: 'info', sweeper: 'confirm' },
    ]);
    await sweep.stop();
  });

  it('logs at info that a part is away, and at error once that lasts for half a minute', async () => {
    const levels = () => lines.splice(0).map((line) => JSON.parse(line).level);
    const run = async () => {
      throw unavailable('Nobody serves card');
    };
    const sweep = sweeper({ name: 'test', intervalMs: 1_000, jitter: 0, run, logger });
    lines.length = 0;
    await vi.advanceTimersByTimeAsync(29_000);
    expect(levels()).toEqual(['info']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(levels()).toEqual(['error']);
    await sweep.stop();
  });
});
