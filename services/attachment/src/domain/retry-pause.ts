const longestMs = 30_000;

/** How long a file that could not be checked is left alone, in milliseconds: longer each time, at most 30 s. */
export const retryPause = (attempts: number): number => Math.min(500 * 2 ** Math.min(attempts, 10), longestMs);
