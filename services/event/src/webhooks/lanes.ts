/** An event that is to be sent to a webhook. */
export interface Item {
  seq: number;
  id: string;
  type: string;
  /** What is sent in order: the events of one card, say. */
  lane: string;
  /** The body; undefined until it is read anew, which is when it is looked who may see it. */
  text?: string | undefined;
  /** When that was, ms since 1970. */
  readAt?: number;
  attempts: number;
  firstFailedAt: number | null;
  /** When it may be tried, ms since 1970. */
  dueAt: number;
  /** Whether the database has it as one that waits, so that the cursor may pass it. */
  isStored: boolean;
  /** When the attempt under way began, ms since 1970. */
  sentAt?: number | undefined;
}

export type Lanes = ReturnType<typeof createLanes>;

/**
 * What is to be sent to one webhook: in order within a lane, one at a time, lanes beside each other. Whoever is first in a lane
 * and waits holds up the lane, and nothing else.
 */
export const createLanes = () => {
  const lanes = new Map<string, Item[]>();
  const bySeq = new Map<number, Item>();
  /** The first ones of their lanes that nobody is sending. */
  const waiting = new Set<Item>();
  let stored = 0;

  return {
    has: (seq: number): boolean => bySeq.has(seq),
    /** Puts an event at the end of its lane. */
    add(item: Item): void {
      bySeq.set(item.seq, item);
      if (item.isStored) stored += 1;
      const lane = lanes.get(item.lane);
      if (lane) {
        lane.push(item);
      } else {
        lanes.set(item.lane, [item]);
        waiting.add(item);
      }
    },
    /** The events that may be tried now, the first of each lane, longest known first. */
    *due(now: number): Generator<Item> {
      for (const item of waiting) if (item.dueAt <= now) yield item;
    },
    /** It and those behind it in its lane, of which some may be read together. */
    behind: (item: Item): readonly Item[] => lanes.get(item.lane) ?? [],
    /** Marks the first one of a lane as being sent. */
    begin(item: Item, now: number): void {
      waiting.delete(item);
      item.sentAt = now;
    },
    /** It failed, and waits at the head of its lane. */
    putBack(item: Item, dueAt: number): void {
      item.sentAt = undefined;
      item.dueAt = dueAt;
      waiting.add(item);
    },
    /** It was taken, or is not to be sent: the next one of its lane comes. */
    remove(item: Item): void {
      bySeq.delete(item.seq);
      waiting.delete(item);
      if (item.isStored) stored -= 1;
      const lane = lanes.get(item.lane) ?? [];
      lane.splice(lane.indexOf(item), 1);
      const [next] = lane;
      if (!next) lanes.delete(item.lane);
      else if (next.sentAt === undefined) waiting.add(next);
    },
    /**
     * The events that the database has to know of, since the cursor is to pass them: those that failed, that take long, and
     * all behind them.
     */
    *unstored(slowSince: number): Generator<Item> {
      for (const lane of lanes.values()) {
        const [first] = lane;
        const holdsUp = first && (first.attempts > 0 || first.isStored || (first.sentAt ?? Infinity) <= slowSince);
        if (holdsUp) for (const item of lane) if (!item.isStored) yield item;
      }
    },
    markStored(item: Item): void {
      // What was taken meanwhile is not counted any more.
      if (!item.isStored && bySeq.get(item.seq) === item) stored += 1;
      item.isStored = true;
    },
    /** How far the cursor may go: up to the first event that only this process knows. */
    cursor(through: number): number {
      for (const item of bySeq.values()) if (!item.isStored) return item.seq - 1;
      return through;
    },
    size: () => bySeq.size,
    stored: () => stored,
    /**
     * When the next one is due that the database knows of, ms since 1970; undefined where there is none. One that is being
     * sent counts: who takes over has to know of it.
     */
    nextStoredDueAt(): number | undefined {
      let next: number | undefined;
      for (const [first] of lanes.values()) if (first?.isStored) next = Math.min(next ?? first.dueAt, first.dueAt);
      return next;
    },
    values: () => bySeq.values(),
  };
};
