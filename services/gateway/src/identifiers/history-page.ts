import { CardinalError, type IdentifierHistoryEntry, uuid } from '@cardinal/contracts';
import { z } from 'zod';

const position = z.tuple([uuid, z.string()]);

const encode = (cardId: string, last: string) => Buffer.from(JSON.stringify([cardId, last])).toString('base64url');

const badCursor = () => new CardinalError('invalid_request', 'cursor: does not belong to this list');

const decode = (cursor: string): z.infer<typeof position> => {
  try {
    return position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw badCursor();
  }
};

/** Where the page begins that follows the cursor's entry. */
const startOf = (cardId: string, entries: IdentifierHistoryEntry[], cursor: string | undefined) => {
  if (cursor === undefined) return 0;
  const [ofCard, last] = decode(cursor);
  const index = entries.findIndex(({ identifier }) => identifier === last);
  if (ofCard !== cardId || index === -1) throw badCursor();
  return index + 1;
};

/**
 * One page of a card's identifier history. The history only ever grows at its end and names no identifier twice, so
 * the last identifier of a page is where the next one goes on.
 * @throws CardinalError `invalid_request` for a cursor that is broken or of another card
 */
export const historyPage = (
  cardId: string,
  entries: IdentifierHistoryEntry[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) => {
  const start = startOf(cardId, entries, cursor);
  const items = entries.slice(start, start + limit);
  const last = items.at(-1);
  const hasMore = start + limit < entries.length;
  return { items, next_cursor: hasMore && last ? encode(cardId, last.identifier) : null };
};
