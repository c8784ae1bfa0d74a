import { type IdentifierHistoryEntry, replyOf } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { openHistoryPage } from './composed.ts';

const by = { workspace_id: v7(), user_id: v7() };
const cardId = v7();
const historyPage = (
  id: string,
  history: IdentifierHistoryEntry[],
  asked: Parameters<typeof openHistoryPage>[2],
  as = by,
) =>
  replyOf(openHistoryPage(as, id, asked)(history)) as { items: IdentifierHistoryEntry[]; next_cursor: string | null };
const entries = Array.from({ length: 5 }, (_, index) => ({ identifier: `PAY-${index + 1}` }) as IdentifierHistoryEntry);

describe('historyPage', () => {
  it.each([1, 2, 4, 5, 6])('in pages of %i names every entry once, in order', (limit) => {
    const seen: IdentifierHistoryEntry[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = historyPage(cardId, entries, { limit, cursor });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      seen.push(...page.items);
      cursor = page.next_cursor ?? undefined;
      pages += 1;
    } while (cursor);
    expect(seen).toEqual(entries);
    expect(pages).toBe(Math.ceil(5 / limit));
  });

  it('goes on where it stopped, also when an entry was added meanwhile', () => {
    const { next_cursor } = historyPage(cardId, entries.slice(0, 3), { limit: 2 });
    const next = historyPage(cardId, entries, { limit: 2, cursor: next_cursor ?? '' });
    expect(next.items).toEqual(entries.slice(2, 4));
  });

  it('refuses a broken cursor and one of another card', () => {
    const foreign = historyPage(v7(), entries, { limit: 2 }).next_cursor ?? '';
    const elsewhere = historyPage(cardId, entries, { limit: 2 }, { ...by, workspace_id: v7() }).next_cursor ?? '';
    const unknown = historyPage(cardId, [...entries].reverse(), { limit: 1 }).next_cursor ?? '';
    expect(() => historyPage(cardId, entries.slice(0, 2), { limit: 2, cursor: unknown })).toThrow();
    for (const cursor of ['', 'nonsense', Buffer.from('[1]').toString('base64url'), foreign, elsewhere]) {
      expect(() => historyPage(cardId, entries, { limit: 2, cursor })).toThrow(
        expect.objectContaining({ code: 'invalid_request' }),
      );
    }
  });
});
