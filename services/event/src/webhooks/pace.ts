import type { Item } from './lanes.ts';

/** Attempts under way at once for one webhook, of as many lanes. */
const usualAtOnce = 16;
/** After so many failures without a success between them there is one attempt at a time, */
const patience = 10;
/** and of what was not tried before one in this time, ms. */
const trickleMs = 5_000;

/**
 * How fast a webhook is tried. A receiver that takes nothing is tried carefully: what failed by its schedule, and now and then
 * something new, since it may be that only some events fail, which must not hold up others.
 * @param isFailing whether it was so before
 */
export const createPace = (isFailing: boolean) => {
  let failuresInRow = isFailing ? patience : 0;
  let triedNewAt = Number.NEGATIVE_INFINITY;
  let notBefore = Number.NEGATIVE_INFINITY;
  const isCareful = () => failuresInRow >= patience;
  return {
    atOnce: (): number => (isCareful() ? 1 : usualAtOnce),
    mayTry: ({ attempts }: Item, now: number): boolean => attempts > 0 || !isCareful() || triedNewAt + trickleMs <= now,
    began({ attempts }: Item, now: number): void {
      if (attempts === 0) triedNewAt = now;
    },
    taken(): void {
      failuresInRow = 0;
    },
    /** @param retryAfterMs how long the receiver asks to be left alone */
    failed(now: number, retryAfterMs: number | undefined): void {
      failuresInRow += 1;
      if (retryAfterMs !== undefined) notBefore = Math.max(notBefore, now + retryAfterMs);
    },
    /** Before that nothing is sent, ms since 1970. */
    notBefore: (): number => notBefore,
    /** When something new may be tried, ms since 1970; undefined where it may be at once. */
    nextNewAt: (): number | undefined => (isCareful() ? triedNewAt + trickleMs : undefined),
  };
};
