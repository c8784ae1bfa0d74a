const stops: (() => Promise<void>)[] = [];

/**
 * Runs `stop` when the present test file is over, the last one registered first. Unlike `afterAll`, which does nothing
 * inside a hook or a test, it may be called anywhere: leftovers of a file would keep running beside every later file.
 * @returns stops it before; it is stopped once
 */
export const atEndOfFile = (stop: () => unknown): (() => Promise<void>) => {
  let stopped: Promise<void> | undefined;
  const run = async () => void (await stop());
  const once = () => (stopped ??= run());
  stops.push(once);
  return once;
};

/** Stops everything that the finished file has started. */
export const endFile = async (): Promise<void> => {
  for (const stop of stops.splice(0).reverse()) await stop();
};
