import { describe, expect, it } from 'vitest';
import { forEachConcurrently, Stopped } from './concurrently.ts';

async function* counting(to: number, read: number[] = []) {
  for (let n = 1; n <= to; n += 1) {
    read.push(n);
    yield n;
  }
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('forEachConcurrently', () => {
  it('does every item once, as many at once as allowed, and reads no further ahead', async () => {
    const [done, read]: [number[], number[]] = [[], []];
    let [running, most, ahead] = [0, 0, 0];
    await forEachConcurrently(counting(50, read), { concurrency: 4, isStopped: () => false }, async (n) => {
      running += 1;
      most = Math.max(most, running);
      ahead = Math.max(ahead, read.length - done.length);
      await turn();
      running -= 1;
      done.push(n);
    });
    expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect(most).toBe(4);
    expect(ahead).toBeLessThanOrEqual(5);
  });

  it('begins nothing after a failure, finishes current work, and throws the failure', async () => {
    const [begun, ended]: [number[], number[]] = [[], []];
    const work = async (n: number) => {
      begun.push(n);
      await turn();
      if (n === 2) throw new Error('no');
      ended.push(n);
    };
    await expect(forEachConcurrently(counting(50), { concurrency: 3, isStopped: () => false }, work)).rejects.toThrow(
      'no',
    );
    expect(begun.length).toBeLessThanOrEqual(5);
    expect(ended.length).toBe(begun.length - 1);
  });

  it('begins nothing once it is stopped', async () => {
    const done: number[] = [];
    const bounds = { concurrency: 1, isStopped: () => done.length >= 3 };
    const ended = forEachConcurrently(counting(50), bounds, async (n) => {
      done.push(n);
    });
    await expect(ended).rejects.toBeInstanceOf(Stopped);
    expect(done).toEqual([1, 2, 3]);
  });
});
