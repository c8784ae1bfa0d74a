import type { File } from '@cardinal/contracts';
import { FileNotCleanError } from '../file-not-clean-error.ts';
import { pause } from '../pause.ts';
import type { CallOptions } from '../transport.ts';

/** How long a file is waited for. */
export interface WaitOptions extends Pick<CallOptions, 'signal'> {
  /** How long the checks may take, milliseconds; 120,000 by default. */
  waitMs?: number;
}

const firstPauseMs = 100;
const longestPauseMs = 3_000;

/**
 * Most files are through in less than a second, some wait for a busy scanner.
 * @param looks how often the file was looked at so far
 * @returns milliseconds until the next look
 */
export const pauseAfter = (looks: number): number => Math.min(longestPauseMs, firstPauseMs * 2 ** (looks - 1));

/**
 * Looks at a file until its checks ended.
 * @throws FileNotCleanError where they ended badly or not in time, the signal's reason
 */
export const untilClean = async (
  look: () => Promise<File>,
  { waitMs = 120_000, signal }: WaitOptions,
): Promise<File> => {
  const end = performance.now() + waitMs;
  for (let looks = 1; ; looks += 1) {
    const file = await look();
    if (file.status === 'clean') return file;
    const isUnderWay = file.status === 'pending' || file.status === 'scanning';
    const leftMs = end - performance.now();
    if (!isUnderWay || leftMs <= 0) throw new FileNotCleanError(file);
    await pause(Math.min(pauseAfter(looks), leftMs), signal);
  }
};
