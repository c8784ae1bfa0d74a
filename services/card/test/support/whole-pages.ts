import { beginPage, type ListedCard, walkOn } from '../../src/cards/list-queries.ts';

type Read = Parameters<typeof beginPage>[0];
type Listing = Parameters<typeof beginPage>[1];
type Reach = Parameters<typeof beginPage>[2];

/** Reads the cards of a page, one part after the other, while there are no writes. */
export const readWholePage = async (read: Read, listing: Listing, reach?: Reach): Promise<ListedCard[]> => {
  const found: ListedCard[] = [];
  let { after } = listing;
  for (let part = beginPage; ; part = walkOn) {
    const { cards, end } = await part(read, { ...listing, after, limit: listing.limit - found.length }, reach);
    found.push(...cards);
    if (!end) return found;
    after = { columnId: end.column_id, columnPosition: end.column_position, cardPosition: end.position };
  }
};
