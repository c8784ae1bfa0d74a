import { setTimeout as pause } from 'node:timers/promises';

/**
 * Runs `fn` again and again until it does not throw, for conditions that other processes bring about.
 * @param timeoutMs how long to try, in milliseconds: by default what the slowest machine needs
 * @returns what `fn` returned in the end
 * @throws the last error of `fn` when the time is over
 */
export const eventually = async <T>(
  fn: () => T | Promise<T>,
  { timeoutMs = 180_000, everyMs = 50 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> => {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await fn();
    } catch (error) {
      if (performance.now() >= end) throw error;
    }
    await pause(everyMs);
  }
};
