import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { CardinalError, cursorText, Document, timestamp, uuid, version } from '@cardinal/contracts';
import { z } from 'zod';

/*
 * Keyset pages (CONTRACT 1.3; ADR 0014): the request, the beginning and the end of a page. A cursor is the base64url of a
 * JSON array: the list that it belongs to, a checksum, and the sort keys of the page's last item. It has no signature:
 * anybody can forge one, so its content is not trusted.
 */

/** What a cursor belongs to: the list's name, workspace, parent and filters. */
export type ListScope = readonly [name: string, workspaceId: string, ...parentAndFilters: unknown[]];

/** The kinds of sort keys, each no wider than its column. */
export const sortKey = {
  id: uuid,
  moment: timestamp,
  /** A finite double. */
  position: z.number(),
  /** A whole number from 1 on; its column is a `bigint`. */
  count: z.int().min(1),
  /** The version of a resource; its column is an `integer`. */
  version,
};

type SortKeys = readonly [z.ZodType, ...z.ZodType[]];
type ValuesOf<Keys extends SortKeys> = { -readonly [At in keyof Keys]: z.output<Keys[At]> };

/** Most bytes of JSON of a page's items: 1 MiB with its envelope, over HTTP and in one message of the bus. */
export const pageBytes = 2 ** 20 - 4_096;

/** The answer with a page. */
type Page<Item> = { items: Item[]; next_cursor: string | null };

/** One page of a list while it is read. */
export interface OpenPage<Values> {
  limit: number;
  /** The sort keys of the last item of the previous page. */
  after: Values | undefined;
  /**
   * Ends the page after `limit` items or before 1 MiB of JSON, but not before the first item. Each item is serialized
   * once; one that is a document already is used as it is.
   * @param rows the rows after `after`, with one more than the page holds where there are more
   * @param present makes the item that clients see
   */
  cut<Row, Item>(
    rows: readonly Row[],
    present: (row: Row) => Item | Document<Item>,
    keysOf: (row: Row) => Values,
  ): Document<Page<Item>>;
  /**
   * Makes the page of items that are known to end it, as a document.
   * @param items each as JSON
   * @param last the sort keys of the last one where more follow
   */
  of<Item>(items: readonly Buffer[], last: Values | undefined): Document<Page<Item>>;
}

/** The refusal of a cursor that is broken, forged, or of another list. */
export const cursorRefused = () => new CardinalError('invalid_request', 'The cursor is not one of this list');

/**
 * Opens a page of a list, before any query.
 * @throws CardinalError `invalid_request` for a cursor that is broken, forged, or of another list
 */
export const openPage = <const Keys extends SortKeys>(
  scope: ListScope,
  keys: Keys,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): OpenPage<ValuesOf<Keys>> => {
  const of: OpenPage<ValuesOf<Keys>>['of'] = (items, last) =>
    new Document({ next_cursor: last ? encode(scope, last) : null }, arrayOf(items));
  return {
    limit,
    after: cursor === undefined ? undefined : decode(scope, keys, cursor),
    of,
    cut(rows, present, keysOf) {
      const items: Buffer[] = [];
      let room = pageBytes;
      for (const row of rows.slice(0, limit)) {
        const item = present(row);
        const json = item instanceof Document ? item.bytes : Buffer.from(JSON.stringify(item));
        room -= json.length + 1;
        if (room < 0 && items.length > 0) break;
        items.push(json);
      }
      const last = rows[items.length - 1];
      return of(items, last !== undefined && items.length < rows.length ? keysOf(last) : undefined);
    },
  };
};

const [begin, comma, end] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];

const arrayOf = (items: readonly Buffer[]): Buffer =>
  Buffer.concat([begin, ...items.flatMap((item, at) => (at === 0 ? [item] : [comma, item])), end]);

const encode = (scope: ListScope, values: readonly unknown[]): string => {
  const list = createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 12);
  return Buffer.from(JSON.stringify([list, crc32(JSON.stringify(values)), ...values])).toString('base64url');
};

const decode = <Keys extends SortKeys>(scope: ListScope, keys: Keys, cursor: string): ValuesOf<Keys> => {
  try {
    const [, , ...content] = JSON.parse(Buffer.from(cursorText.parse(cursor), 'base64url').toString());
    const values = z.tuple(keys as SortKeys).parse(content);
    // One encoding only: another encoding of the same values is a forgery.
    if (encode(scope, values) === cursor) return values as ValuesOf<Keys>;
  } catch {
    // Refused below, like a forgery.
  }
  throw cursorRefused();
};
