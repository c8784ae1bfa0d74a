interface Behind {
  /** Since when it is known to be behind, epoch ms. */
  since: number;
  /** The last pause that it was given, ms. */
  pause: number;
  /** Asked for alone, because rounds with it failed. */
  isAlone: boolean;
  timer?: NodeJS.Timeout;
}

/** The first and the longest pause of a workspace of which nothing can be appended, ms; each is twice the one before. */
const [firstPauseMs, longestPauseMs] = [4, 1_000];

/**
 * The workspaces whose logs are behind, in the order in which they came to be. A round takes some of them and says of each
 * what became of it; who is nudged meanwhile comes again.
 * @param onDue called when a pause is over
 */
export const createBacklog = (onDue: () => void) => {
  const known = new Map<string, Behind>();
  const waiting = new Set<string>();
  let wasAlone = true;

  const isAlone = (id: string) => known.get(id)?.isAlone ?? false;
  const fresh = (): Behind => ({ since: Date.now(), pause: 0, isAlone: false });

  return {
    want: (id: string): void => {
      const behind = known.get(id) ?? fresh();
      clearTimeout(behind.timer);
      known.set(id, behind);
      waiting.add(id);
    },
    /** Takes those that share the next round; one that is asked for alone every other time. */
    take: (most: number): string[] => {
      const ids = [...waiting];
      const lonely = ids.find(isAlone);
      const together = ids.filter((id) => !isAlone(id)).slice(0, most);
      wasAlone = lonely !== undefined && (!wasAlone || together.length === 0);
      const taken = wasAlone && lonely !== undefined ? [lonely] : together;
      for (const id of taken) waiting.delete(id);
      return taken;
    },
    /** Nothing is left to be done for it. */
    done: (id: string): void => {
      if (waiting.has(id)) known.set(id, fresh());
      else known.delete(id);
    },
    /** It made progress, and more is known of it. */
    again: (id: string): void => {
      known.set(id, fresh());
      waiting.add(id);
    },
    /** Nothing could be done for it yet. */
    later: (id: string, alone: boolean): void => {
      const behind = known.get(id) ?? fresh();
      behind.pause = Math.min(Math.max(behind.pause * 2, firstPauseMs), longestPauseMs);
      behind.isAlone = alone;
      known.set(id, behind);
      if (waiting.has(id)) return;
      behind.timer = setTimeout(() => {
        waiting.add(id);
        onDue();
      }, behind.pause);
    },
    isEmpty: (): boolean => waiting.size === 0,
    /** Since when the one that waits longest is behind, epoch ms; undefined where none is. */
    oldest: (): number | undefined =>
      known.size === 0
        ? undefined
        : [...known.values()].reduce((least, { since }) => Math.min(least, since), Date.now()),
    stop: (): void => {
      for (const { timer } of known.values()) clearTimeout(timer);
    },
  };
};
