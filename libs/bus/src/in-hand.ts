/** Work that was accepted and must be finished before the process stops. */
export interface InHand {
  /** How much there is. */
  size(): number;
  track(work: Promise<unknown>): void;
  /** Resolves when nothing is in hand, or after `timeoutMs`; says whether everything was finished. */
  finished(timeoutMs: number): Promise<boolean>;
}

export const trackWork = (): InHand => {
  let count = 0;
  let onIdle: (() => void) | undefined;

  const done = () => {
    count -= 1;
    if (count === 0) onIdle?.();
  };
  return {
    size: () => count,
    track(work) {
      count += 1;
      work.then(done, done);
    },
    async finished(timeoutMs) {
      if (count === 0) return true;
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), timeoutMs);
      });
      const idle = new Promise<boolean>((resolve) => {
        onIdle = () => resolve(true);
      });
      const outcome = await Promise.race([idle, timeout]);
      clearTimeout(timer);
      return outcome;
    },
  };
};
