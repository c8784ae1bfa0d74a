import type { Listing, Page } from './options.ts';

const largestPage = 100;

/** The listing of what `read` reads page by page (api-decisions, "Requests, responses, errors"). */
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
