import type { Bus } from '@cardinal/bus';
import { type FeedHead, type FeedOwner, feedOwners, feedRequests } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import type { z } from 'zod';
import type { Tables } from '../context.ts';
import { findLogs } from '../log/append.ts';

/** All feeds are looked at this often, ms: an owner's word that it met its database anew may be lost too. */
const lookAtAllMs = 600_000;

interface LookContext {
  db: Database<Tables>;
  bus: Pick<Bus, 'call'>;
  /** Takes a workspace whose log does not end where a feed does. */
  onBehind: (workspaceId: string) => void;
}

type FeedPage = z.output<(typeof feedRequests)[FeedOwner]['list']['reply']>;

/** Looks at the feeds for what lost nudges announced: those in which something was noted since the look before, or all. */
export const createLook = ({ db, bus, onBehind }: LookContext) => {
  /** The moments of the last two looks at each owner, by its own clock; null: all its feeds are to be looked at. */
  const looked = new Map<FeedOwner, [number | null, number | null]>();
  let allAt = Date.now();
  let generation = db.serverGeneration();

  /** @returns how many changes the log lacks of the feeds that were looked at */
  const lookAt = async (owner: FeedOwner): Promise<number> => {
    // What was noted before the earlier one, the later one has found.
    const [since, later] = looked.get(owner) ?? [null, null];
    // Whoever asks for all feeds meanwhile gets them at the next look.
    looked.delete(owner);
    let next: [number | null, number | null] = [since, later];
    try {
      let [after, count]: [string | null, number] = [null, 0];
      let lookedAt: number | undefined;
      do {
        const page: FeedPage = await bus.call(feedRequests[owner].list, { since, after_workspace_id: after });
        lookedAt ??= page.looked_at;
        count += await compare(owner, page.feeds);
        after = page.next_workspace_id;
      } while (after !== null);
      next = [later, lookedAt];
      return count;
    } finally {
      if (!looked.has(owner)) looked.set(owner, next);
    }
  };

  const compare = async (owner: FeedOwner, feeds: readonly FeedHead[]): Promise<number> => {
    if (feeds.length === 0) return 0;
    const ids = feeds.map(({ workspace_id }) => workspace_id);
    const logs = await db.read((tx) => findLogs(tx, ids));
    let count = 0;
    for (const { workspace_id, last, last_id } of feeds) {
      const position = logs.get(workspace_id)?.positions[owner];
      if (position?.seq === last && position.id === last_id) continue;
      count += Math.max(0, last - (position?.seq ?? 0));
      onBehind(workspace_id);
    }
    return count;
  };

  const all = (owner?: FeedOwner): void => {
    if (!owner) allAt = Date.now();
    for (const one of owner ? [owner] : feedOwners) looked.set(one, [null, null]);
  };

  return {
    /** Has all feeds of an owner, or of all owners, looked at next time. */
    all,
    /**
     * Looks at all owners; one that does not answer keeps none of the others from being looked at.
     * @returns how many changes the log lacks
     * @throws CardinalError `unavailable` where one does not answer
     */
    run: async (): Promise<number> => {
      // Another server may have an earlier log.
      if (generation !== db.serverGeneration() || Date.now() - allAt > lookAtAllMs) all();
      generation = db.serverGeneration();
      const counts = await Promise.allSettled(feedOwners.map(lookAt));
      for (const count of counts) if (count.status === 'rejected') throw count.reason;
      return counts.reduce((sum, count) => sum + (count.status === 'fulfilled' ? count.value : 0), 0);
    },
  };
};
