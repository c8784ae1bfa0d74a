import { z } from 'zod';
import { defineRequest, defineSignal, internalEvent } from './bus.ts';
import { eventTypes } from './event-types.ts';
import { uuid } from './scalars.ts';
import type { DatabaseOwner, ServiceName } from './services.ts';

/**
 * Feeds: the commits of each owner (ARCHITECTURE, "Feeds"; ADR 0065, 0073). A feed has two lines, each numbered per
 * workspace and owner without a gap, in the order of commits: changes, which the log reads for clients, and internal
 * events, which projections of other services read.
 */

/** Services that have a feed. Changes with the same time are appended to the log in this order. */
export const feedOwners = [
  'identifier',
  'card',
  'dependency',
  'attachment',
] as const satisfies readonly DatabaseOwner[];
export type FeedOwner = (typeof feedOwners)[number];
export const hasFeed = (name: ServiceName): name is FeedOwner => (feedOwners as readonly string[]).includes(name);

/** Microseconds since 1970, by the clock of the database. */
const moment = z.int().min(0);
const seq = z.int().min(0);

/** The feeds of one request, each once. */
const feedsOf = <Feed extends z.ZodType<{ workspace_id: string }>>(feed: Feed) =>
  z
    .array(feed)
    .min(1)
    .max(200)
    .refine((feeds) => new Set(feeds.map(({ workspace_id }) => workspace_id)).size === feeds.length);

/** A change, with what the log needs besides; `event` is the text for followers, without its `seq`. */
export const feedChange = z.object({
  seq,
  id: uuid,
  /** The previous change of its feed; null for the first one. */
  previous_id: uuid.nullable(),
  noted_at: moment,
  type: z.enum(eventTypes),
  card_id: uuid.nullable(),
  /** The board that a reader must see to see the event; null: the workspace. */
  board_id: uuid.nullable(),
  /** The board that a card moved away from; for other types, a second board that a reader must see. */
  other_board_id: uuid.nullable(),
  event: z.string(),
});
export type FeedChange = z.infer<typeof feedChange>;

/** The end of a feed. */
const feedHead = z.object({ workspace_id: uuid, last: seq, last_id: uuid.nullable() });
export type FeedHead = z.infer<typeof feedHead>;

const pulled = feedHead.extend({
  /** Every earlier change is in `changes` or precedes them; no earlier one can come later. */
  complete_to: moment,
  /** In order, from the one after `after`; fewer than there are where they do not fit into one message. */
  changes: z.array(feedChange),
});
export type PulledFeed = z.infer<typeof pulled>;

const definePull = (owner: FeedOwner) =>
  defineRequest(
    `${owner}.pull-changes`,
    z.object({ feeds: feedsOf(z.object({ workspace_id: uuid, after: seq })) }),
    z.object({ feeds: z.array(pulled) }),
    [],
    ['event'],
  );

/** Lists feeds by workspace: those that grew since a time or, without one, all. */
const defineList = (owner: FeedOwner) =>
  defineRequest(
    `${owner}.list-feeds`,
    z.object({ since: moment.nullable(), after_workspace_id: uuid.nullable() }),
    z.object({
      feeds: z.array(feedHead),
      /** The `since` of the look after the next one: the next look finds everything older. */
      looked_at: moment,
      next_workspace_id: uuid.nullable(),
    }),
    [],
    ['event'],
  );

export const pullIdentifierChanges = definePull('identifier');
export const pullCardChanges = definePull('card');
export const pullDependencyChanges = definePull('dependency');
export const pullAttachmentChanges = definePull('attachment');
export const listIdentifierFeeds = defineList('identifier');
export const listCardFeeds = defineList('card');
export const listDependencyFeeds = defineList('dependency');
export const listAttachmentFeeds = defineList('attachment');

/** The requests by which the log reads changes, by owner. */
export const feedRequests = {
  identifier: { pull: pullIdentifierChanges, list: listIdentifierFeeds },
  card: { pull: pullCardChanges, list: listCardFeeds },
  dependency: { pull: pullDependencyChanges, list: listDependencyFeeds },
  attachment: { pull: pullAttachmentChanges, list: listAttachmentFeeds },
} as const satisfies Record<FeedOwner, object>;

/** The services that project the internal events of an owner. */
export const projectedBy = {
  identifier: ['card'],
  card: ['dependency', 'attachment'],
  dependency: ['card'],
  attachment: ['card'],
} as const satisfies Record<FeedOwner, readonly DatabaseOwner[]>;

const definePullInternal = (owner: FeedOwner) =>
  defineRequest(
    `${owner}.pull-internal-events`,
    z.object({ feeds: feedsOf(z.object({ workspace_id: uuid, after: seq, after_id: uuid.nullable() })) }),
    z.object({
      feeds: z.array(
        feedHead.extend({
          /** Whether the feed has the event `after_id` as number `after`, and all later ones. */
          follows: z.boolean(),
          /** In order, from the one after `after`; fewer than there are where they do not fit into one message. */
          events: z.array(z.object({ seq, event: internalEvent })),
        }),
      ),
    }),
    [],
    projectedBy[owner],
  );

/** Lists feeds by workspace: those that got an internal event since a time or, without one, all that have any. */
const defineListInternal = (owner: FeedOwner) =>
  defineRequest(
    `${owner}.list-internal-feeds`,
    z.object({ since: moment.nullable(), after_workspace_id: uuid.nullable() }),
    z.object({
      feeds: z.array(feedHead),
      /** The `since` of the look after the next one: the next look finds everything older. */
      looked_at: moment,
      next_workspace_id: uuid.nullable(),
    }),
    [],
    projectedBy[owner],
  );

export const pullInternalEventsOfIdentifier = definePullInternal('identifier');
export const pullInternalEventsOfCard = definePullInternal('card');
export const pullInternalEventsOfDependency = definePullInternal('dependency');
export const pullInternalEventsOfAttachment = definePullInternal('attachment');
export const listInternalFeedsOfIdentifier = defineListInternal('identifier');
export const listInternalFeedsOfCard = defineListInternal('card');
export const listInternalFeedsOfDependency = defineListInternal('dependency');
export const listInternalFeedsOfAttachment = defineListInternal('attachment');

/** The requests by which projections read internal events, by owner. */
export const internalFeedRequests = {
  identifier: { pull: pullInternalEventsOfIdentifier, list: listInternalFeedsOfIdentifier },
  card: { pull: pullInternalEventsOfCard, list: listInternalFeedsOfCard },
  dependency: { pull: pullInternalEventsOfDependency, list: listInternalFeedsOfDependency },
  attachment: { pull: pullInternalEventsOfAttachment, list: listInternalFeedsOfAttachment },
} as const satisfies Record<FeedOwner, object>;

/**
 * Feeds got internal events: projections look now instead of within a second. `workspace_ids` null: the owner has a new
 * server, so all its feeds must be checked.
 */
export const internalFeedsGrew = defineSignal(
  'internal-feeds-grew',
  z.object({ owner: z.enum(feedOwners), workspace_ids: z.array(uuid).nullable() }),
  { from: feedOwners, to: ['card', 'dependency', 'attachment'], each: 'service' },
);

/**
 * Feeds got changes: the log looks now instead of within a second. `workspace_ids` null: the owner has a new server, so
 * all its feeds must be checked.
 */
export const feedsGrew = defineSignal(
  'feeds-grew',
  z.object({ owner: z.enum(feedOwners), workspace_ids: z.array(uuid).nullable() }),
  { from: feedOwners, to: ['event'], each: 'service' },
);

/** Logs of workspaces grew: every process with followers looks. */
export const logsGrew = defineSignal(
  'logs-grew',
  z.object({ logs: z.array(z.object({ workspace_id: uuid, last: seq })) }),
  { from: ['event'], to: ['gateway', 'event'], each: 'process' },
);
