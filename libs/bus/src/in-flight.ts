import { unavailable } from '@cardinal/contracts';

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

/** Waits for work of the broker's for at most `ms`. @throws CardinalError `unavailable` when the time is up */
export const within = async (ms: number, work: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('The message broker does not answer')), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** Has work done when all is read that this tick of the event loop brings. */
export type EndOfTick = (work: () => void) => void;

/**
 * Does the works of one tick in one go, so that what they send leaves in one write: a write to the broker costs as much as
 * all else that is done for a small message.
 */
export const endOfTick = (): EndOfTick => {
  let works: (() => void)[] = [];
  const run = () => {
    const due = works;
    works = [];
    for (const work of due) work();
  };
  return (work) => {
    if (works.length === 0) setImmediate(run);
    works.push(work);
  };
};
