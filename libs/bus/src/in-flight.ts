import { unavailable } from '@cardinal/contracts';
import { firstOf } from '@cardinal/runtime';

export type InHand = ReturnType<typeof trackWork>;

/** Work that was accepted and must be finished before the process stops. */
export const trackWork = () => {
  let count = 0;
  let onIdle: (() => void) | undefined;

  const done = () => {
    count -= 1;
    if (count === 0) onIdle?.();
  };
  return {
    size: () => count,
    track(work: Promise<unknown>): void {
      count += 1;
      work.then(done, done);
    },
    /** Resolves when nothing is in hand, or after `timeoutMs`; says whether everything was finished. */
    async finished(timeoutMs: number): Promise<boolean> {
      if (count === 0) return true;
      const idle = new Promise<boolean>((resolve) => {
        onIdle = () => resolve(true);
      });
      return firstOf(idle, timeoutMs, () => false);
    },
  };
};

/** Waits for work of the broker's for at most `ms`. @throws CardinalError `unavailable` when the time is up */
export const within = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  firstOf(work, ms, () => {
    throw unavailable('The message broker does not answer');
  });

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
