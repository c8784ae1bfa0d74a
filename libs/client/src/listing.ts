import type { CallOptions } from './calls.ts';
import type { Page as Place } from './operations.gen.ts';

/** One page as the service sends it; `next_cursor` is null on the last one. */
export interface Page<Item> {
  data: Item[];
  page: Place;
}

export interface ListOptions extends CallOptions {
  /** Items per request, 1 to 100. */
  pageSize?: number | undefined;
}

/** A list that is read page by page as it is walked through: `for await (const card of client.cards.list(boardId))`. */
export interface Listing<Item> extends AsyncIterable<Item> {
  /** One page, for whoever keeps the cursor themselves. */
  page(cursor?: string): Promise<Page<Item>>;
  /** The whole list at once, or its first `limit` items: no more pages are asked for than these take. */
  all(options?: { limit?: number | undefined }): Promise<Item[]>;
}

const largestPage = 100;

/**
 * Makes the listing of what pages by cursor (api-decisions, "Requests, responses, errors").
 * @param read asks for one page
 */
export const listingOf = <Item>(
  read: (place: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>,
  pageSize = largestPage,
): Listing<Item> => {
  async function* items(most = Number.POSITIVE_INFINITY) {
    let cursor: string | undefined;
    let left = most;
    while (left > 0) {
      const { data, page } = await read({ limit: Math.min(pageSize, left), cursor });
      for (const item of data.slice(0, left)) yield item;
      left -= data.length;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }

  return {
    page: (cursor) => read({ limit: pageSize, cursor }),
    all: async ({ limit } = {}) => {
      const collected: Item[] = [];
      for await (const item of items(limit)) collected.push(item);
      return collected;
    },
    [Symbol.asyncIterator]: () => items(),
  };
};
