import { type Caller, type IdentifierHistoryEntry, identifierPattern } from '@cardinal/contracts';
import { cursorRefused, openPage } from '@cardinal/runtime';
import { z } from 'zod';

/**
 * Opens a page of a card's identifier history. The history only ever grows at its end and names no identifier twice, so
 * the last identifier of a page is where the next one goes on.
 * @returns what cuts the page out of the whole history
 * @throws CardinalError `invalid_request` for a cursor that is broken, made up, or of another card
 */
export const openHistoryPage = (
  { workspace_id }: Caller,
  cardId: string,
  asked: { limit: number; cursor?: string | undefined },
) => {
  const page = openPage(['identifiers', workspace_id, cardId], [z.string().regex(identifierPattern)], asked);
  return (entries: IdentifierHistoryEntry[]) => {
    const last = entries.findIndex(({ identifier }) => identifier === page.after?.[0]);
    if (page.after && last === -1) throw cursorRefused();
    return page.cut(
      entries.slice(last + 1),
      (entry) => entry,
      ({ identifier }) => [identifier],
    );
  };
};
