import type { Bus } from '@cardinal/bus';
import { type FeedOwner, type InternalEvent, internalFeedRequests, internalFeedsGrew } from '@cardinal/contracts';

/** The internal events of an owner in whose place a test stands. */
export type FeedDouble = ReturnType<typeof startFeedDouble>;

/** Serves the internal events of an owner from memory, as `libs/service` does from a database. */
export const startFeedDouble = (bus: Bus, owner: FeedOwner) => {
  const feeds = new Map<string, InternalEvent[]>();
  const { pull, list } = internalFeedRequests[owner];
  const headOf = (workspace_id: string) => {
    const events = feeds.get(workspace_id) ?? [];
    return { workspace_id, last: events.length, last_id: events.at(-1)?.id ?? null };
  };
  bus.serve(pull, async (request) => ({
    feeds: request.feeds.map(({ workspace_id, after, after_id }) => {
      const events = feeds.get(workspace_id) ?? [];
      const follows = after <= events.length && (events[after - 1]?.id ?? null) === after_id;
      const news = follows ? events.slice(after).map((event, at) => ({ seq: after + at + 1, event })) : [];
      return { ...headOf(workspace_id), follows, events: news };
    }),
  }));
  bus.serve(list, async () => ({
    feeds: [...feeds.keys()].toSorted().map(headOf),
    looked_at: Date.now() * 1_000,
    next_workspace_id: null,
  }));
  return {
    /** Appends an event to the feed of its workspace, and has it pulled. */
    append: (event: InternalEvent): void => {
      const { workspace_id } = event;
      feeds.set(workspace_id, [...(feeds.get(workspace_id) ?? []), event]);
      bus.signal(internalFeedsGrew, { owner, workspace_ids: [workspace_id] });
    },
    /** Makes the feed of a workspace an earlier one, as a rollback of its database does. */
    rollBackTo: (workspaceId: string, last: number): void =>
      void feeds.set(workspaceId, (feeds.get(workspaceId) ?? []).slice(0, last)),
  };
};
