interface Behind {
  /** When it fell behind, epoch ms. */
  since: number;
  /** Its last pause, ms. */
  pause: number;
  /** It has rounds of its own, because rounds with it failed. */
  isAlone: boolean;
  timer?: NodeJS.Timeout;
}

/** The first and the longest pause of a workspace that cannot make progress, ms. Each is twice the one before. */
const [firstPauseMs, longestPauseMs] = [4, 1_000];

/**
 * A queue of the workspaces whose logs are behind, in the order of arrival. A round takes some of them and reports each
 * as `done`, `again` or `later`. A workspace that is nudged during its round is queued again.
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
    /** Takes the workspaces of the next round, at most `most`. Every other round takes one of those that run alone. */
    take: (most: number): string[] => {
      const ids = [...waiting];
      const lonely = ids.find(isAlone);
      const together = ids.filter((id) => !isAlone(id)).slice(0, most);
      wasAlone = lonely !== undefined && (!wasAlone || together.length === 0);
      const taken = wasAlone && lonely !== undefined ? [lonely] : together;
      for (const id of taken) waiting.delete(id);
      return taken;
    },
    /** Its log is up to date. */
    done: (id: string): void => {
      if (waiting.has(id)) known.set(id, fresh());
      else known.delete(id);
    },
    /** It made progress and is still behind. */
    again: (id: string): void => {
      known.set(id, fresh());
      waiting.add(id);
    },
    /** It made no progress: it pauses first. */
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
    /** When the workspace that is behind longest fell behind, epoch ms; undefined where none is behind. */
    oldest: (): number | undefined =>
      known.size === 0
        ? undefined
        : [...known.values()].reduce((least, { since }) => Math.min(least, since), Date.now()),
    stop: (): void => {
      for (const { timer } of known.values()) clearTimeout(timer);
    },
  };
};
