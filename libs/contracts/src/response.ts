import { z } from 'zod';
import { outcomeOf, pageReply } from './bus.ts';
import { atMost, doc, shown } from './scalars.ts';

const dataOf = <Resource extends z.ZodType>(resource: Resource) => z.object({ data: resource });

/** The cursor of the next page; null on the last page. */
export const pageInfo = z
  .object({
    next_cursor: doc(shown(1_024).nullable(), 'The `cursor` of the next page; null on the last one.', null),
    has_more: doc(z.boolean(), 'Whether there is a next page.', false),
  })
  .meta({ id: 'Page', description: 'Where a list goes on.' });

const pageOfLog = pageInfo
  .extend({
    head: doc(z.int().min(0), 'The highest `seq` in the log; 0 for none. Nothing in the page is newer.', 1042),
  })
  .meta({ id: 'PageOfLog', description: 'Where a list of events goes on, and how far the log is.' });

const pageOf = <Resource extends z.ZodType>(resource: Resource, page: typeof pageInfo | typeof pageOfLog = pageInfo) =>
  z.object({ data: doc(atMost(100, resource), 'The items of the page.'), page });

/** The form of every cursor. Only the list that issued it knows its content. */
export const cursorText = z
  .string()
  .max(1024)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be one that a list gave out');

/** A whole number in a query has digits only: not `0x10`, `1e1`, `+5` or `05`. */
const limit = z.preprocess(
  (value) => (typeof value === 'string' && /^[1-9][0-9]{0,2}$/.test(value) ? Number(value) : value),
  z.int('must be a whole number from 1 to 100, in digits').min(1).max(100),
);

/** Query of every list. `limit` defaults to 50. The cursor is opaque and belongs to one list and its filters. */
export const pageQuery = z.strictObject({
  limit: limit.prefault(50).describe('Most items of a page, 1 to 100, in digits; it ends before 1 MiB too'),
  cursor: cursorText.optional().describe('Where the list goes on: `page.next_cursor` of the page before'),
});

/** How the owner's reply becomes an HTTP response. */
export interface Response {
  /**
   * `data`: the reply, in `{"data": …}`, with an ETag where it has a version. `page`: one page of a list. `empty`: 204.
   * `parts`: all items of the reply in `{"data": […]}`; the gateway asks the owner until it has answered each.
   * `optional`: the only member of the reply, or 204 where it is null. `redirect`: 302 to its `url`. `stream`:
   * server-sent events, each one reply.
   */
  kind: 'data' | 'page' | 'parts' | 'empty' | 'optional' | 'redirect' | 'stream';
  status: 200 | 201 | 204 | 302;
  headers: readonly ('ETag' | 'Location')[];
  reply: z.ZodType;
  body?: z.ZodType;
  /** Also answers `If-None-Match` with 304. */
  isConditional?: true;
  /** Location of a new resource: `/<collection>/<id>`. */
  collection?: string;
}

type Versioned = z.ZodType<{ id: string; version: number }>;

/** 200 with a versioned resource and its ETag, or 304. */
export const versioned = <Resource extends Versioned>(resource: Resource) =>
  ({ ...current(resource), isConditional: true }) satisfies Response;

/** 200 with the versioned resource after a desired-state write. */
export const current = <Resource extends Versioned>(resource: Resource) =>
  ({ ...unversioned(resource), headers: ['ETag'] }) satisfies Response;

/** 200 with a versioned resource after a change of it. */
export const changed = <Resource extends Versioned>(resource: Resource) =>
  ({ ...current(resource), reply: outcomeOf(resource) }) satisfies Response;

/** Collections of resources that have no version. */
const unversionedCollections = ['files', 'api-keys'];

/** 201 with a new resource and its location. */
export const created = <Resource extends z.ZodType<{ id: string }>>(resource: Resource, collection: string) =>
  ({
    kind: 'data',
    status: 201,
    headers: unversionedCollections.includes(collection) ? ['Location'] : ['ETag', 'Location'],
    reply: outcomeOf(resource),
    body: dataOf(resource),
    collection,
  }) satisfies Response;

/** 200 with a value that has no version. */
export const unversioned = <Value extends z.ZodType>(value: Value) =>
  ({ kind: 'data', status: 200, headers: [], reply: value, body: dataOf(value) }) satisfies Response;

/** 200 with the answer of a command that is no resource. */
export const answered = <Value extends z.ZodType>(value: Value) =>
  ({ ...unversioned(value), reply: outcomeOf(value) }) satisfies Response;

/** 200 with the outcome of each of several things of one command, at most `max`, in their order. */
export const each = <Item extends z.ZodType>(max: number, item: Item) =>
  ({ ...unversioned(atMost(max, item)), reply: outcomeOf(z.array(item)) }) satisfies Response;

/** 200 with one page of a list. */
export const listed = <Item extends z.ZodType>(item: Item) =>
  ({ kind: 'page', status: 200, headers: [], reply: pageReply(item), body: pageOf(item) }) satisfies Response;

/** 200 with one page of a log, and its highest number. */
export const logged = <Item extends z.ZodType>(item: Item) =>
  ({
    ...listed(item),
    // Release 1.1.0 names no head.
    reply: pageReply(item).extend({ head: z.int().min(0).optional() }),
    body: pageOf(item, pageOfLog),
  }) satisfies Response;

/** 200 with the outcome of each item of a request, at most `max`. Each part has to fit into a message of the bus. */
export const inParts = <Item extends z.ZodType>(max: number, item: Item) =>
  ({
    kind: 'parts',
    status: 200,
    headers: [],
    // `next_cursor` is the number of answered items where some are left; `replayed` where nothing was done again.
    reply: pageReply(item).extend({ replayed: z.boolean() }),
    body: dataOf(atMost(max, item)),
  }) satisfies Response;

const gone = z.object({ deleted: z.literal(true) });

/** 204. The owner's reply is not shown. */
export const deleted = <Reply extends z.ZodType = typeof gone>(reply: Reply = gone as unknown as Reply) =>
  ({ kind: 'empty', status: 204, headers: [], reply }) satisfies Response;

/** 200 with the member `name` of the owner's reply, or 204 where it is null. */
export const optional = <Name extends string, Value extends z.ZodType>(name: Name, value: Value) =>
  ({
    kind: 'optional',
    status: 200,
    headers: [],
    reply: z.object({ [name]: value.nullable() } as Record<Name, z.ZodNullable<Value>>),
    body: dataOf(value),
  }) satisfies Response;

/** 302 to the URL in the owner's reply. */
export const redirected = () =>
  ({ kind: 'redirect', status: 302, headers: ['Location'], reply: z.object({ url: z.url() }) }) satisfies Response;

/** 200 with server-sent events (HTML, "Server-sent events"), with an item as `data`. */
export const streamed = <Item extends z.ZodType>(item: Item) =>
  ({ kind: 'stream', status: 200, headers: [], reply: item }) satisfies Response;
