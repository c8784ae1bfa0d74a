import type { FeedHead, FeedOwner } from '@cardinal/contracts';

/** Pause between two looks at all feeds, ms: the signal that an owner has a new server may be lost too. */
const lookAtAllMs = 600_000;

interface LookOptions {
  owners: readonly FeedOwner[];
  /** Lists feeds of an owner: those with entries since a time, or all. */
  list: (
    owner: FeedOwner,
    page: { since: number | null; after_workspace_id: string | null },
  ) => Promise<{ feeds: FeedHead[]; looked_at: number; next_workspace_id: string | null }>;
  /** Compares feeds of an owner with the follower's positions. @returns how many entries the follower lacks */
  compare: (owner: FeedOwner, feeds: readonly FeedHead[]) => Promise<number>;
  /** Changes where the server behind the follower's own pool may have changed (`serverGeneration`). */
  generation: () => number;
}

/** Looks for feeds that grew without a nudge: those with entries since the look before, or all. */
export const createLook = ({ owners, list, compare, generation }: LookOptions) => {
  /** The times of the last two looks at each owner, by its clock; null: the next look lists all its feeds. */
  const looked = new Map<FeedOwner, [number | null, number | null]>();
  let allAt = Date.now();
  let met = generation();

  /** @returns how many entries the follower lacks of the listed feeds */
  const lookAt = async (owner: FeedOwner): Promise<number> => {
    // The look before this one found everything up to the earlier time.
    const [since, later] = looked.get(owner) ?? [null, null];
    // A request for all feeds that arrives meanwhile is left to the next look.
    looked.delete(owner);
    let next: [number | null, number | null] = [since, later];
    try {
      let [after, count]: [string | null, number] = [null, 0];
      let lookedAt: number | undefined;
      do {
        const page: Awaited<ReturnType<typeof list>> = await list(owner, { since, after_workspace_id: after });
        lookedAt ??= page.looked_at;
        if (page.feeds.length > 0) count += await compare(owner, page.feeds);
        after = page.next_workspace_id;
      } while (after !== null);
      next = [later, lookedAt];
      return count;
    } finally {
      if (!looked.has(owner)) looked.set(owner, next);
    }
  };

  const all = (owner?: FeedOwner): void => {
    if (!owner) allAt = Date.now();
    for (const one of owner ? [owner] : owners) looked.set(one, [null, null]);
  };

  return {
    /** Has the next look list all feeds, of one owner or of all. */
    all,
    /**
     * Looks at all owners. One that does not answer does not stop the others.
     * @returns how many entries the follower lacks
     * @throws CardinalError `unavailable` where an owner does not answer
     */
    run: async (): Promise<number> => {
      // Another server may be at an earlier state.
      if (met !== generation() || Date.now() - allAt > lookAtAllMs) all();
      met = generation();
      const counts = await Promise.allSettled(owners.map(lookAt));
      for (const count of counts) if (count.status === 'rejected') throw count.reason;
      return counts.reduce((sum, count) => sum + (count.status === 'fulfilled' ? count.value : 0), 0);
    },
  };
};
