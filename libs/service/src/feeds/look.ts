import type { FeedHead, FeedOwner } from '@cardinal/contracts';

/** All feeds are looked at this often, ms: an owner's word that it met its database anew may be lost too. */
const lookAtAllMs = 600_000;

interface LookOptions {
  owners: readonly FeedOwner[];
  /** Lists feeds of an owner, those in which something was noted since a moment, or all. */
  list: (
    owner: FeedOwner,
    page: { since: number | null; after_workspace_id: string | null },
  ) => Promise<{ feeds: FeedHead[]; looked_at: number; next_workspace_id: string | null }>;
  /** Takes feeds of an owner; answers how many entries of them the follower lacks. */
  compare: (owner: FeedOwner, feeds: readonly FeedHead[]) => Promise<number>;
  /** Changes where the follower's own database may be another one than before (`serverGeneration`). */
  generation: () => number;
}

/** Looks at the feeds for what lost nudges announced: those in which something was noted since the look before, or all. */
export const createLook = ({ owners, list, compare, generation }: LookOptions) => {
  /** The moments of the last two looks at each owner, by its own clock; null: all its feeds are to be looked at. */
  const looked = new Map<FeedOwner, [number | null, number | null]>();
  let allAt = Date.now();
  let met = generation();

  /** @returns how many entries the follower lacks of the feeds that were looked at */
  const lookAt = async (owner: FeedOwner): Promise<number> => {
    // What was noted before the earlier one, the later one has found.
    const [since, later] = looked.get(owner) ?? [null, null];
    // A request for all feeds that comes meanwhile is left to the next look.
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
    /** Has all feeds of an owner, or of all owners, looked at next time. */
    all,
    /**
     * Looks at all owners; one that does not answer keeps none of the others from being looked at.
     * @returns how many entries the follower lacks
     * @throws CardinalError `unavailable` where one does not answer
     */
    run: async (): Promise<number> => {
      // Another server may have an earlier state.
      if (met !== generation() || Date.now() - allAt > lookAtAllMs) all();
      met = generation();
      const counts = await Promise.allSettled(owners.map(lookAt));
      for (const count of counts) if (count.status === 'rejected') throw count.reason;
      return counts.reduce((sum, count) => sum + (count.status === 'fulfilled' ? count.value : 0), 0);
    },
  };
};
