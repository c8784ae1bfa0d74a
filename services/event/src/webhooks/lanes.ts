import type { LoggedEvent } from '@cardinal/contracts';

/** An event to send. */
export interface Item {
  event: LoggedEvent;
  /** The request body: the event as JSON, reduced to what the webhook's creator sees. */
  text: string;
}

export interface KnownItem extends Item {
  /** When the card service confirmed that the webhook's creator sees the event, ms since 1970. */
  checkedAt: number;
}

/** Sequence numbers of a log, both inclusive. `until` null: as far as the webhook has read. */
export type Range = readonly [from: number, until: number | null];

/**
 * A lane is an ordering key with its pending events: one card, or else one board. Its events are sent in order. A failed event
 * holds up its own lane only.
 *
 * A lane is *waiting* once it has ranges: its events are stored as ranges of the log (`waiting_deliveries`), and the position of
 * the webhook moves past them.
 */
export interface Lane {
  /** Pending events that are in memory, in order. The first one is sent next, or is being sent. */
  items: readonly KnownItem[];
  /** Of a waiting lane: every event of the lane within these ranges is pending. Empty: `items` are all that is pending. */
  ranges: readonly Range[];
  /** Failed attempts of the first event. */
  attempts: number;
  /** When the first event first failed, ms since 1970. */
  firstFailedAt: number | null;
  /** When the next attempt of the first event is due, ms since 1970. */
  dueAt: number;
  /** When the attempt under way began, monotonic clock, ms; undefined if there is none. */
  sentAt: number | undefined;
}

/** Most events of a waiting lane that are kept in memory. */
export const laneSize = 20;

/** Returns the lane key of an event: its card, else its board, else the workspace. */
export const laneOf = ({ card_id, board_id }: Pick<LoggedEvent, 'card_id' | 'board_id'>): string => {
  if (card_id !== null) return `card/${card_id}`;
  return board_id === null ? 'workspace' : `board/${board_id}`;
};

/** Whether the lane is stored as ranges, so that the position of the webhook may pass it. */
export const isWaiting = ({ ranges }: Lane): boolean => ranges.length > 0;

/**
 * Whether the next event of a lane is sent again because of a replay. Its ranges are closed, those of new events open.
 * @param isReplay whether the session sends a replay: lanes without ranges belong to it
 */
export const isReplayed = ({ ranges: [first] }: Lane, isReplay: boolean): boolean =>
  first === undefined ? isReplay : first[1] !== null;

/** Returns a lane with one event and no failed attempt. */
export const newLane = (item: KnownItem): Lane => ({
  items: [item],
  ranges: [],
  attempts: 0,
  firstFailedAt: null,
  dueAt: 0,
  sentAt: undefined,
});

/**
 * Returns the lane as a waiting one, so that it no longer holds back the position of the webhook.
 * @param isReplay the lane belongs to a replay: its range ends with the last known event, because later ones were passed before
 */
export const toWaiting = (lane: Lane, isReplay: boolean): Lane => {
  const [first] = lane.items;
  if (isWaiting(lane) || !first) return lane;
  const until = isReplay ? (lane.items.at(-1)?.event.seq ?? null) : null;
  return { ...lane, ranges: [[first.event.seq, until]], items: lane.items.slice(0, laneSize) };
};

const isWithin = (seq: number, [from, until]: Range): boolean => from <= seq && (until === null || seq <= until);

/** Adds an event that was read from the log. Returns the same lane if its ranges already cover the event. */
export const addItem = (lane: Lane, item: KnownItem, isReplay: boolean): Lane => {
  const { seq } = item.event;
  const { ranges, items, sentAt } = lane;
  if (!isWaiting(lane)) return { ...lane, items: [...items, item] };
  if (!isReplay) return ranges.at(-1)?.[1] === null ? lane : { ...lane, ranges: [...ranges, [seq, null]] };
  if (ranges.some((range) => isWithin(seq, range))) return lane;
  const at = ranges.findLastIndex(([from]) => from <= seq);
  if (at >= 0) return { ...lane, ranges: ranges.map((range, index) => (index === at ? [range[0], seq] : range)) };
  // The replayed event precedes the failed one. The failed one is retried after it, with a new count of attempts.
  return {
    ...lane,
    attempts: 0,
    firstFailedAt: null,
    dueAt: 0,
    ranges: [[seq, seq], ...ranges],
    items: sentAt === undefined ? [] : items.slice(0, 1),
  };
};

/**
 * Removes an event that was delivered or is not to be sent, and everything before it in its range.
 * @param reach how far the webhook has read new events: the end of an open range
 * @returns undefined if the lane is empty then
 */
export const removeThrough = (lane: Lane, seq: number, reach: number): Lane | undefined => {
  const items = lane.items.filter(({ event }) => event.seq > seq);
  const ranges = lane.ranges
    .map((range): Range => (isWithin(seq, range) ? [seq + 1, range[1]] : range))
    .filter(([from, until]) => from <= (until ?? reach));
  if ((isWaiting(lane) ? ranges : items).length === 0) return undefined;
  return { ...lane, items, ranges, attempts: 0, firstFailedAt: null, dueAt: 0, sentAt: undefined };
};
