import type { LoggedEvent } from '@cardinal/contracts';

/** An event that is to be sent, as its receiver gets it. */
export interface Item {
  event: LoggedEvent;
  text: string;
}

export interface KnownItem extends Item {
  /** When the answer came that its webhook's creator sees it, ms since 1970. */
  seenAt: number;
}

/** Numbers of a log, first and last; null: as far as the webhook has come. */
export type Range = readonly [from: number, until: number | null];

/**
 * What is sent in order: the events of one card, or else of a board. What is first and waits holds up its lane, and nothing
 * else.
 */
export interface Lane {
  /** The events that are known, in order; the first one is sent next, or is being sent. */
  items: readonly KnownItem[];
  /**
   * Where in the log the lane is, if it waits: every event of it within these is still to be sent, however many there are,
   * and the position of the webhook passes them. None: `items` are all.
   */
  ranges: readonly Range[];
  /** Attempts of the first event. */
  attempts: number;
  firstFailedAt: number | null;
  /** When the first event may be tried, ms since 1970. */
  dueAt: number;
  /** When the attempt under way began, by a clock that nobody sets, ms. */
  sentAt: number | undefined;
}

/** Events of a lane that waits that are known at once. */
export const laneSize = 20;

/** The events of a card are sent in order; so are those of a board, and those of neither. */
export const laneOf = ({ card_id, board_id }: Pick<LoggedEvent, 'card_id' | 'board_id'>): string => {
  if (card_id !== null) return `card/${card_id}`;
  return board_id === null ? 'workspace' : `board/${board_id}`;
};

export const isWaiting = ({ ranges }: Lane): boolean => ranges.length > 0;

/** A lane in which nothing failed. */
export const freshLane = (item: KnownItem): Lane => ({
  ...{ items: [item], ranges: [], attempts: 0, firstFailedAt: null, dueAt: 0, sentAt: undefined },
});

/**
 * A lane that is not to hold up the position of its webhook any longer.
 * @param isReplay what is sent again ends with what is known: what follows was sent before
 */
export const toWaiting = (lane: Lane, isReplay: boolean): Lane => {
  const [first] = lane.items;
  if (isWaiting(lane) || !first) return lane;
  const until = isReplay ? (lane.items.at(-1)?.event.seq ?? null) : null;
  return { ...lane, ranges: [[first.event.seq, until]], items: lane.items.slice(0, laneSize) };
};

const isWithin = (seq: number, [from, until]: Range): boolean => from <= seq && (until === null || seq <= until);

/** Takes an event in that was read. The lane itself, where it is to be sent anyway. */
export const withItem = (lane: Lane, item: KnownItem, isReplay: boolean): Lane => {
  const { seq } = item.event;
  const { ranges, items, sentAt } = lane;
  if (!isWaiting(lane)) return { ...lane, items: [...items, item] };
  if (!isReplay) return ranges.at(-1)?.[1] === null ? lane : { ...lane, ranges: [...ranges, [seq, null]] };
  if (ranges.some((range) => isWithin(seq, range))) return lane;
  const at = ranges.findLastIndex(([from]) => from <= seq);
  if (at >= 0) return { ...lane, ranges: ranges.map((range, index) => (index === at ? [range[0], seq] : range)) };
  // It comes before what failed, which is tried again after it.
  const begun = { attempts: 0, firstFailedAt: null, dueAt: 0 };
  return { ...lane, ...begun, ranges: [[seq, seq], ...ranges], items: sentAt === undefined ? [] : items.slice(0, 1) };
};

/**
 * Takes an event out that was sent, or is not to be, and all of its range before it.
 * @param reach how far the webhook has come
 * @returns undefined where nothing is left of the lane
 */
export const without = (lane: Lane, seq: number, reach: number): Lane | undefined => {
  const items = lane.items.filter(({ event }) => event.seq > seq);
  const ranges = lane.ranges
    .map((range): Range => (isWithin(seq, range) ? [seq + 1, range[1]] : range))
    .filter(([from, until]) => from <= (until ?? reach));
  if ((isWaiting(lane) ? ranges : items).length === 0) return undefined;
  return { ...lane, items, ranges, attempts: 0, firstFailedAt: null, dueAt: 0, sentAt: undefined };
};
