const stops: (() => unknown)[] = [];

/**
 * Has `stop` run when the present test file is over, what was registered last first. Unlike `afterAll`, which does nothing
 * when it is called inside a hook or a test, it may be called anywhere: what a file leaves behind runs on beside every
 * file that comes after it.
 */
export const atEndOfFile = (stop: () => unknown): void => void stops.push(stop);

/** Stops everything that the finished file has started. */
export const endFile = async (): Promise<void> => {
  for (const stop of stops.splice(0).reverse()) await stop();
};
