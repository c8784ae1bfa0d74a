import { type FeedChange, type FeedOwner, feedOwners, type PulledFeed } from '@cardinal/contracts';

/** The last change of a feed that the log has. */
export interface Position {
  seq: number;
  id: string | null;
}
/** The log's position in each feed. */
export type Positions = Record<FeedOwner, Position>;
/** What was pulled from each feed of a workspace, after its position. */
export type PulledFeeds = Record<FeedOwner, PulledFeed>;

/** A change with its feed. */
export interface SourcedChange extends FeedChange {
  source: FeedOwner;
}

/** What one round appends to the log of a workspace. */
export interface Merged {
  /** In the order of the log. */
  changes: SourcedChange[];
  /** The positions after these changes. */
  positions: Positions;
  /** Whether something is left for the next round. */
  isMore: boolean;
}

type Place = readonly [notedAt: number, owner: number, seq: number];

const compare = (one: Place, other: Place): number => one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
const placeOf = ({ noted_at, source, seq }: SourcedChange): Place => [noted_at, feedOwners.indexOf(source), seq];

/**
 * Finds the feeds that do not continue from their positions: a change is missing, or the feed has another history than
 * the log.
 */
export const brokenFeeds = (positions: Positions, feeds: PulledFeeds): FeedOwner[] =>
  feedOwners.filter((owner) => !follows(positions[owner], feeds[owner]));

const follows = (position: Position, { last, last_id, changes, complete_to }: PulledFeed): boolean => {
  // None of its changes fit into the answer.
  if (complete_to === 0) return true;
  let before = position;
  for (const change of changes) {
    if (change.seq !== before.seq + 1 || change.previous_id !== before.id) return false;
    before = change;
  }
  if (last === before.seq) return last_id === before.id;
  return last > before.seq && changes.length > 0;
};

/** The place up to which a feed is known: its last change in an answer that was cut, else just before `complete_to`. */
const knownTo = (source: FeedOwner, feed: PulledFeed): Place => {
  const end = feed.changes.at(-1);
  return end && end.seq < feed.last ? placeOf({ ...end, source }) : [feed.complete_to, -1, 0];
};

/**
 * Merges the feeds of a workspace by time, then owner, then number, up to the place to which all of them are known.
 * None of them may be broken. So the order is a function of the feeds alone, however rounds cut them (ADR 0065).
 */
export const merge = (positions: Positions, feeds: PulledFeeds): Merged => {
  const known = feedOwners.map((owner) => knownTo(owner, feeds[owner])).sort(compare)[0] as Place;
  const changes = feedOwners
    .flatMap((source) => feeds[source].changes.map((change) => ({ ...change, source })))
    .filter((change) => compare(placeOf(change), known) <= 0)
    .sort((one, other) => compare(placeOf(one), placeOf(other)));
  const reached = { ...positions };
  for (const { source, seq, id } of changes) reached[source] = { seq, id };
  const isMore = feedOwners.some((owner) => reached[owner].seq < feeds[owner].last);
  return { changes, positions: reached, isMore };
};
