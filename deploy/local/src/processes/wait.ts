import { setTimeout as pause } from 'node:timers/promises';
import type { Child } from './child.ts';

/**
 * Polls `probe` until it gives something, at most `timeoutMs` milliseconds.
 * @returns what `probe` gave, or undefined when the time is over or `child` ended first
 */
export const waitFor = async <T>(
  probe: () => T | undefined | Promise<T | undefined>,
  { timeoutMs, everyMs = 20, child }: { timeoutMs: number; everyMs?: number; child?: Child },
): Promise<T | undefined> => {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end) {
    const found = await probe();
    if (found !== undefined) return found;
    if (child?.hasExited()) return undefined;
    await pause(everyMs);
  }
  return undefined;
};
