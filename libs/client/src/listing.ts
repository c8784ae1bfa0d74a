import type { Call, CallOptions, Send } from './transport.ts';

/** One page as the service sends it; `next_cursor` is null on the last one. */
export interface Page<Item> {
  data: Item[];
  page: { next_cursor: string | null; has_more: boolean };
}

export interface ListOptions extends CallOptions {
  /** Items per request, 1 to 100. */
  pageSize?: number;
}

/** A list that is read page by page as it is walked through: `for await (const card of client.cards.list(boardId))`. */
export interface Listing<Item> extends AsyncIterable<Item> {
  /** One page, for whoever keeps the cursor themselves. */
  page(cursor?: string): Promise<Page<Item>>;
  /** The whole list at once. */
  all(): Promise<Item[]>;
}

const largestPage = 100;

/** Makes the listing of a GET that pages by cursor (api-decisions, "Requests, responses, errors"). */
export const listingOf = <Item>(
  send: Send,
  call: Omit<Call, 'method'>,
  { pageSize = largestPage, ...options }: ListOptions = {},
): Listing<Item> => {
  const page = (cursor?: string) =>
    send<Page<Item>>({ method: 'GET', path: call.path, query: { ...call.query, limit: pageSize, cursor } }, options);

  async function* items() {
    let cursor: string | undefined;
    do {
      const { data, page: place } = await page(cursor);
      yield* data;
      cursor = place.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  return {
    page,
    all: async () => {
      const collected: Item[] = [];
      for await (const item of items()) collected.push(item);
      return collected;
    },
    [Symbol.asyncIterator]: items,
  };
};
