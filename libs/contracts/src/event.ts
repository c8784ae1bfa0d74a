import { z } from 'zod';
import { board, boardMember } from './board.ts';
import { caller, defineRequest } from './bus.ts';
import { card } from './card.ts';
import { cardIdOrIdentifier, maxIdentifier } from './card-identifier.ts';
import { column } from './column.ts';
import { comment } from './comment.ts';
import { dependency } from './dependency.ts';
import { versionChange } from './errors.ts';
import { type EventType, eventTypes } from './event-types.ts';
import { cover, file } from './file.ts';
import { label } from './label.ts';
import { operationsOf } from './operation.ts';
import { logged, streamed } from './response.ts';
import { anyOf, atMost, doc, ordinal, shown, timestamp, uuid } from './scalars.ts';
import { subtask } from './subtask.ts';
import { workstream } from './workstream.ts';

/** A database was rolled back: followers must read again what they keep. */
const reset = z
  .object({
    database: doc(
      z.enum(['identifier', 'card', 'dependency', 'attachment', 'event']),
      'Whose database it was.',
      'card',
    ),
  })
  .meta({ id: 'FeedReset', description: 'A database became an earlier one, so what was followed may not be what is.' });

/** The type of `data` by the first part of the event's type: the resource as it is read, null after a deletion. */
const dataOf = {
  board,
  card,
  column,
  comment,
  // URLs of its renditions expire.
  cover: cover.omit({ renditions: true }).meta({ id: 'CoverOfEvent', description: 'The image that a card shows.' }),
  dependency,
  feed: reset,
  file,
  label,
  linked_file: file,
  member: boardMember,
  subtask,
  workstream,
};
type Subject = keyof typeof dataOf;

/** Fields that never differ in an event, or always, or whose change is an event of something else. */
const unsaid = new Set(
  ['id', 'type', 'version', 'created_at', 'updated_at', 'created_by', 'card_id', 'prefix', 'is_default'].concat([
    'subtask_total',
    'subtask_completed',
    'comment_count',
    'linked_file',
  ]),
);
/** Every field that `changed` of an event may name (CONTRACT 9.1). */
export const changingFields = [
  ...new Set([
    ...[board, card, column, comment, file, label, subtask, workstream].flatMap(({ shape }) => Object.keys(shape)),
    // Of covers and linked files.
    'file_id',
  ]),
]
  .filter((field) => !unsaid.has(field))
  .sort();

/** More fields than any resource has. */
const maxFields = 32;

const common = {
  id: doc(uuid, 'Its id, the same wherever it is seen.'),
  seq: doc(z.int().min(1), 'Its number in the log of the workspace, without gaps; it never changes.', 1042),
};
const rest = {
  at: doc(timestamp, 'When it happened.', '2030-01-03T14:05:00.000Z'),
  actor: doc(
    z.object({
      user_id: doc(uuid, 'The user.'),
      api_key_id: doc(
        uuid.nullable().optional(),
        'The API key that the user came with; null with a token. Left out in events of release 1.1.0.',
        null,
      ),
    }),
    'Who did it.',
  ),
  request_id: doc(shown(128), 'The `X-Request-Id` of the request that did it.', '4f0c9a1e-0c2b-4b53-8f5c-0a3a1f0c7d2e'),
  subject: doc(
    z.object({
      type: doc(shown(32), 'What kind of resource.', 'card'),
      id: doc(uuid, 'Its id.'),
      version: doc(z.int().nullable(), 'Its version since; null for what has none.', 4),
    }),
    'What it happened to.',
  ),
  card: doc(
    z
      .object({
        id: doc(uuid, 'Its id.'),
        identifier: doc(shown(maxIdentifier), 'Its identifier at that time.', 'PAY-7'),
      })
      .nullable(),
    'The card that it happened to or on; null for none.',
  ),
  board_id: doc(
    uuid.nullable(),
    'The board that it happened on; null: the workspace. Those who see the board see the event.',
  ),
  changed: doc(atMost(maxFields, shown(64)), 'The fields that differ since; none where something is new or gone.', [
    'title',
  ]),
  previous: doc(
    z
      .record(shown(64), z.union([shown(240), z.number(), z.boolean(), atMost(50, uuid), z.null()]))
      .meta({ maxProperties: maxFields }),
    'What short ones of them were before.',
    { title: 'Refunds fail' },
  ),
};

const variant = (subject: Subject) => {
  const types = eventTypes.filter((type) => type.startsWith(`${subject}.`)) as [EventType, ...EventType[]];
  const name = subject.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return z
    .object({
      ...common,
      type: doc(z.enum(types), 'What happened.'),
      ...rest,
      data: doc(
        dataOf[subject].nullable(),
        'What it happened to, as it is read since; null where it is gone, or out of your sight.',
      ),
    })
    .meta({ id: `${name}Event`, description: `What happened to a ${subject.replace('_', ' ')}.` });
};

/** An event (CONTRACT 9.1). */
export const event = z
  .discriminatedUnion('type', [
    variant('card'),
    ...(Object.keys(dataOf) as Subject[]).filter((subject) => subject !== 'card').map(variant),
  ])
  .meta({ id: 'Event', description: 'Something that happened in the workspace; its type says what `data` is.' });
export type FollowedEvent = z.infer<typeof event>;

const families = [...new Set(eventTypes.map((type) => `${type.split('.')[0]}.*`))];
/** A filter by type: a type, or a prefix of types. */
export const eventTypeFilter = z
  .enum([...eventTypes, ...families] as [string, ...string[]])
  .meta({ id: 'EventTypeFilter', description: 'A type of events, or with `.*` all that begin so.' });
/** A field by which a webhook narrows its events. */
export const changedFilter = z
  .enum(changingFields as [string, ...string[]])
  .meta({ id: 'ChangedFilter', description: 'A field that `changed` of an event may name.' });

/** A filter by actor: a user, `me`, or an API key. */
const actor = z
  .union([z.literal('me'), uuid])
  .optional()
  .meta({
    description: 'Only what this user did, `me` for the caller, or what was done with this API key.',
  });

const filters = {
  types: anyOf(eventTypeFilter)
    .optional()
    .meta({ description: 'Only of these types; `card.*` is all that begin so; may be given several times.' }),
  board_id: anyOf(uuid).optional().meta({ description: 'Only of these boards; may be given several times.' }),
  card: cardIdOrIdentifier
    .optional()
    .meta({ description: 'Only of this card: its id, or an identifier that it has or ever had.' }),
  actor,
};
export const eventFilters = z.strictObject(filters);
export type EventFilters = z.infer<typeof eventFilters>;

const wholeNumber = (what: string) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^(?:0|[1-9][0-9]{0,15})$/.test(value) ? Number(value) : value),
    z.int(`must be ${what}`).min(0),
  );

const after = z.union([z.literal('head'), wholeNumber('the `seq` of an event, 0, or `head`')]).optional();

/** Without it, `asc`: release 1.1.0 knows no other order. */
const order = z.enum(['asc', 'desc']).optional();
export type EventOrder = NonNullable<z.infer<typeof order>>;

const operation = operationsOf('event', 'Events');

export const listEvents = operation('listEvents', 'GET /events', {
  summary: 'List what happened in the workspace',
  description:
    'Of what the caller may see now, oldest first, or with `order=desc` newest first. Page oldest first with `after=<last seq>` until it is empty: nothing is missed. What leaves your sight (a card moves to a board that you do not see, a board becomes private, you are taken from its members) comes with the board where it was and `data` null. What comes into your sight has no events of its own: to keep a copy, read a board anew after `board.updated` with `visibility` in `changed`, and after `member.added` of yourself. `after` something older than what is kept: 410 with the oldest in `details`.',
  query: {
    after: after.describe(
      'Only what has a greater `seq`, in either order; `head` begins now; default: from the oldest that is kept',
    ),
    order: order.describe('`asc` is oldest first, `desc` newest first; default: `asc`'),
    ...filters,
  },
  reply: logged(event),
  refusals: ['gone', 'not_found'],
});

export const listCardEvents = operation('listCardEvents', 'GET /cards/:card_id/events', {
  tool: { name: 'list_card_events' },
  summary: 'List what happened to a card and to what is on it',
  description:
    'Its activity, as far back as events are kept, under whatever identifier it had: oldest first, or with `order=desc` newest first.',
  query: { order: order.describe('`desc` is newest first; default: `asc`'), types: filters.types, actor },
  reply: logged(event),
});

export const streamEvents = operationsOf('gateway', 'Events')('streamEvents', 'GET /events/stream', {
  summary: 'Follow what happens in the workspace',
  description:
    'The same as server-sent events: `id` is the `seq`, so `Last-Event-ID` goes on where a stream broke off; `event` is the type, `data` the event. Begins with what comes from now on unless `after` or `Last-Event-ID` says otherwise. A comment every 15 seconds; the end of the token ends it. Too many streams at once: 429.',
  query: {
    after: after.describe('Begins with what has a greater `seq`; `head`, and the default, with what comes from now on'),
    ...filters,
  },
  reply: streamed(event),
  refusals: ['gone', 'not_found'],
});

/** An event in the log: its text, and what its visibility depends on. Only for callers that check `seeBoards` next. */
export const loggedEvent = z.object({
  seq: z.int().min(1),
  id: uuid,
  type: z.enum(eventTypes),
  card_id: uuid.nullable(),
  board_id: uuid.nullable(),
  other_board_id: uuid.nullable(),
  /** JSON, `seq` included. */
  text: z.string(),
});
export type LoggedEvent = z.infer<typeof loggedEvent>;

/**
 * Reads the log of a workspace without a check of visibility, as much as fits into one message. `gone` where the events
 * after `after` were purged.
 */
export const readLog = defineRequest(
  'event.read-log',
  z.object({
    workspace_id: uuid,
    /** null: reads nothing but `last`. */
    after: z.int().min(0).nullable(),
    limit: z.int().min(1).max(1_000),
    types: eventFilters.shape.types,
    board_id: eventFilters.shape.board_id,
    card_id: uuid.optional(),
    actor: uuid.optional(),
  }),
  z.object({
    events: z.array(loggedEvent),
    /** Everything up to here was read. */
    through: z.int().min(0),
    last: z.int().min(0),
  }),
  ['gone'],
);

/** The versioned resources that have events. */
export const loggedResources = ['board', 'card', 'column', 'comment', 'label', 'subtask', 'workstream'] as const;

/** Most changes that a 412 names, and the most that it waits for them, ms. */
export const [maxVersionChanges, versionChangesWaitMs] = [100, 100];

/**
 * Reads what made the versions of a resource after `after`, up to `until`, oldest first, as far as the caller sees the
 * events (CONTRACT 3.2). It waits for the log, for `versionChangesWaitMs` at most.
 */
export const listVersionChanges = defineRequest(
  'event.list-version-changes',
  caller.extend({
    subject: z.object({
      type: z.enum(loggedResources),
      id: uuid,
      /** The card of a comment or subtask, the board of a column. */
      within: uuid.nullable(),
    }),
    after: ordinal,
    until: ordinal,
  }),
  z.object({ changes: z.array(versionChange), complete: z.boolean() }),
);

/** Answers which of some boards each of some users sees, deleted boards included; none of boards that never existed. */
export const seeBoards = defineRequest(
  'card.see-boards',
  z.object({
    workspace_id: caller.shape.workspace_id,
    user_ids: z.array(uuid).min(1).max(1_000),
    board_ids: z.array(uuid).max(1_000),
  }),
  z.object({ boards: z.array(z.object({ board_id: uuid, user_ids: z.array(uuid) })) }),
  [],
  ['event', 'gateway'],
);
