import { type FollowedEvent, listCardEvents, listEvents, readLog } from '@cardinal/contracts';
import { eventually } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { dropDays } from '../src/log/days.ts';
import { startCardDouble } from './support/card-double.ts';
import { startHarness } from './support/harness.ts';
import type { Noted } from './support/owner.ts';

const harness = await startHarness();
const card = await startCardDouble(harness.nats.url);

type Query = Omit<Partial<z.input<typeof listEvents.request>>, 'page'>;

/** A workspace with a user and these changes in its log. */
const logWith = async (changes: readonly Noted[]) => {
  const caller = { workspace_id: v7(), user_id: v7() };
  const note = async (more: readonly Noted[]) => {
    const ids = await harness.owners.card.note(caller.workspace_id, more);
    await eventually(async () => {
      const { last } = await harness.bus.call(readLog, { workspace_id: caller.workspace_id, after: null, limit: 1 });
      expect(last).toBeGreaterThanOrEqual(ids.length);
      expect((await harness.readAll(caller.workspace_id)).at(-1)?.id).toBe(ids.at(-1));
    });
    return ids;
  };
  await note(changes);
  const page = ({ limit = 50, cursor, ...query }: Query & { limit?: number; cursor?: string } = {}) =>
    harness.bus.fetch(listEvents, { ...caller, ...query, page: { limit, ...(cursor && { cursor }) } });
  const list = async (query: Query & { limit?: number } = {}) => {
    const found: FollowedEvent[] = [];
    let cursor: string | undefined;
    do {
      const { head, text } = await page({ ...query, ...(cursor && { cursor }) });
      found.push(...JSON.parse(text));
      cursor = head.next_cursor ?? undefined;
    } while (cursor);
    return found;
  };
  const titles = async (query: Query & { limit?: number } = {}) =>
    (await list(query)).map(({ data }) => (data as { title: string }).title);
  return { caller, note, page, list, titles };
};

const numbered = (count: number, more: Noted = {}): Noted[] =>
  Array.from({ length: count }, (_, at) => ({ title: `${at + 1}`, ...more }));

describe('the log of a workspace', () => {
  it('is listed oldest first, page by page, and after any number', async () => {
    const { list, titles, page } = await logWith(numbered(25));
    expect((await list({ limit: 4 })).map(({ seq }) => seq)).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
    expect(await titles({ after: 22 })).toEqual(['23', '24', '25']);
    expect(await titles({ after: 25 })).toEqual([]);
    expect(await titles({ after: 1_000 })).toEqual([]);
    expect((await page({ limit: 25 })).head.next_cursor).toBeNull();
  });

  it('is listed newest first, in pages that new events do not shift, down to any number', async () => {
    const { list, note, page, titles } = await logWith(numbered(25));
    const down = Array.from({ length: 25 }, (_, at) => 25 - at);
    expect((await list({ order: 'desc', limit: 4 })).map(({ seq }) => seq)).toEqual(down);
    expect((await page({ order: 'desc', limit: 25 })).head.next_cursor).toBeNull();
    expect(await titles({ order: 'desc', after: 22, limit: 2 })).toEqual(['25', '24', '23']);
    expect(await titles({ order: 'desc', after: 25 })).toEqual([]);
    const { head, text } = await page({ order: 'desc', limit: 3 });
    expect(JSON.parse(text).map(({ seq }: FollowedEvent) => seq)).toEqual([25, 24, 23]);
    await note([{ title: 'late' }]);
    const more = await page({ order: 'desc', limit: 3, cursor: head.next_cursor ?? '' });
    expect(JSON.parse(more.text).map(({ seq }: FollowedEvent) => seq)).toEqual([22, 21, 20]);
    expect((await titles({ order: 'desc', limit: 2 })).at(0)).toBe('late');
  });

  it('begins now after `head`, and names the highest number in every answer', async () => {
    const { page, note, titles } = await logWith(numbered(3));
    expect((await page({ limit: 1 })).head.head).toBe(3);
    expect(await titles({ after: 'head' })).toEqual([]);
    const { head } = await page({ after: 'head', order: 'desc' });
    await note([{ title: 'late' }]);
    expect(await titles({ after: head.head })).toEqual(['late']);
    const { caller } = await logWith([]);
    const empty = await harness.bus.fetch(listEvents, { ...caller, page: { limit: 1 } });
    expect(empty.head).toEqual({ next_cursor: null, head: 0 });
  });

  it('is narrowed to an actor: a user, the caller, or an API key', async () => {
    const [ada, key, other, board] = [v7(), v7(), v7(), v7()];
    card.seenBy.set(board, []);
    const { caller, note, titles, page } = await logWith([{ title: 'theirs', by: other }]);
    const mine = { by: caller.user_id };
    await note([
      ...numbered(3, { by: ada }),
      { title: 'mine', ...mine },
      { title: 'by key', by: ada, key },
      { title: 'key of mine', ...mine, key: other },
      { title: 'hidden', board, by: ada },
      { type: 'card.created', title: 'new', by: ada },
    ]);
    expect(await titles({ actor: ada, limit: 2 })).toEqual(['1', '2', '3', 'by key', 'new']);
    expect(await titles({ actor: ada, order: 'desc', limit: 2 })).toEqual(['new', 'by key', '3', '2', '1']);
    expect(await titles({ actor: ada, types: 'card.created' })).toEqual(['new']);
    expect(await titles({ actor: key })).toEqual(['by key']);
    expect(await titles({ actor: 'me' })).toEqual(['mine', 'key of mine']);
    expect(await titles({ actor: other })).toEqual(['theirs', 'key of mine']);
    expect(await titles({ actor: v7() })).toEqual([]);
    const { head } = await page({ actor: ada, limit: 1 });
    await expect(page({ actor: key, limit: 1, cursor: head.next_cursor ?? '' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('refuses a cursor of another list', async () => {
    const { page } = await logWith(numbered(3));
    const { head } = await page({ limit: 1 });
    for (const [order, other] of [
      ['asc', 'desc'],
      ['desc', 'asc'],
    ] as const) {
      const { head: first } = await page({ limit: 1, order });
      const turned = page({ limit: 1, order: other, cursor: first.next_cursor ?? '' });
      await expect(turned).rejects.toMatchObject({ code: 'invalid_request' });
    }
    // One of 1.1.0, which knows no order, is of the order that is not said.
    expect(JSON.parse((await page({ limit: 1, order: 'asc', cursor: head.next_cursor ?? '' })).text)).toHaveLength(1);
    await expect(page({ cursor: head.next_cursor ?? '', types: 'card.*' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('is narrowed by types, families of types and boards', async () => {
    const [a, b] = [v7(), v7()];
    const { titles } = await logWith([
      { title: 'card', board: a },
      { title: 'comment', type: 'comment.created', board: a },
      { title: 'move', type: 'card.moved', board: b, other: a },
      { title: 'label', type: 'label.updated' },
      { title: 'reset', type: 'feed.reset' },
    ]);
    expect(await titles({ types: 'card.*' })).toEqual(['card', 'move', 'reset']);
    expect(await titles({ types: 'card.*', order: 'desc', limit: 1 })).toEqual(['reset', 'move', 'card']);
    expect(await titles({ board_id: a, order: 'desc', limit: 2 })).toEqual(['reset', 'move', 'comment', 'card']);
    expect(await titles({ types: ['comment.created', 'label.*'] })).toEqual(['comment', 'label', 'reset']);
    expect(await titles({ types: 'feed.reset' })).toEqual(['reset']);
    expect(await titles({ board_id: b })).toEqual(['move', 'reset']);
    // A card that left a board is news of it.
    expect(await titles({ board_id: a })).toEqual(['card', 'comment', 'move', 'reset']);
    expect(await titles({ board_id: a, types: 'comment.*' })).toEqual(['comment', 'reset']);
  });
});

describe('the events that a caller sees', () => {
  it('are those of boards that they see now, in full pages', async () => {
    const [open, secret] = [v7(), v7()];
    const changes = numbered(60).map((change, at) => ({ ...change, board: at % 3 === 0 ? open : secret }));
    const { caller, titles, page } = await logWith(changes);
    card.seenBy.set(secret, []);
    const seen = changes.filter(({ board }) => board === open).map(({ title }) => title);
    expect(await titles({ limit: 6 })).toEqual(seen);
    expect(await titles({ limit: 6, order: 'desc' })).toEqual(seen.toReversed());
    expect(JSON.parse((await page({ limit: 20 })).text)).toHaveLength(20);
    expect((await page({ limit: 20 })).head.next_cursor).toBeNull();
    card.seenBy.set(secret, [caller.user_id]);
    expect(await titles()).toHaveLength(60);
  });

  it('are found behind thousands of events that they do not see', async () => {
    const secret = v7();
    const { note, page, list } = await logWith([{ title: 'first' }, ...numbered(4_000, { board: secret })]);
    await note([{ title: 'seen' }]);
    card.seenBy.set(secret, []);
    for (const order of ['asc', 'desc'] as const) {
      const { head, text } = await page({ limit: 5, order });
      expect([JSON.parse(text).length, head.next_cursor]).toEqual([2, null]);
    }
    expect((await list({ limit: 1, order: 'desc' })).map(({ seq }) => seq)).toEqual([4_002, 1]);
  });

  it('do not show the former board of a card if the caller does not see it', async () => {
    const [from, to, second] = [v7(), v7(), v7()];
    const { list } = await logWith([
      { title: 'move', type: 'card.moved', board: to, other: from },
      { title: 'dependency', type: 'dependency.added', board: to, other: second },
    ]);
    const seen = await list();
    expect(seen).toHaveLength(2);
    expect(seen[0]?.previous).toMatchObject({ board_id: from, column_id: from });
    card.seenBy.set(from, []);
    card.seenBy.set(second, []);
    const [move, ...others] = await list();
    expect(others).toEqual([]);
    expect(await list({ order: 'desc' })).toEqual([move]);
    expect(move?.previous).toEqual({ title: 'former move' });
    expect(await list({ board_id: from })).toEqual([]);
  });
});

describe('the events of a card', () => {
  const cardWith = async () => {
    const [one, other, board] = [v7(), v7(), v7()];
    const log = await logWith(numbered(30).map((change, at) => ({ ...change, board, card: at % 2 ? one : other })));
    card.cards.set(one, board);
    const ofCard = async (limit: number, query = {}) => {
      const items: { seq: number }[] = [];
      let cursor: string | undefined;
      do {
        const asked = { ...log.caller, card_id: one, ...query, page: { limit, ...(cursor && { cursor }) } };
        const { head, text } = await harness.bus.fetch(listCardEvents, asked);
        items.push(...JSON.parse(text));
        cursor = head.next_cursor ?? undefined;
      } while (cursor);
      return items.map(({ seq }) => seq);
    };
    return { ...log, one, other, board, ofCard };
  };
  const even = Array.from({ length: 15 }, (_, at) => 2 * (at + 1));

  it('are its activity, the same as in the list with the filter `card`', async () => {
    const { one, ofCard, list } = await cardWith();
    expect(await ofCard(4)).toEqual(even);
    expect(await ofCard(4, { order: 'desc' })).toEqual(even.toReversed());
    expect(await ofCard(50, { types: 'comment.*' })).toEqual([]);
    expect((await list({ card: one, limit: 4 })).map(({ seq }) => seq)).toEqual(even);
    expect((await list({ card: one, after: 20 })).map(({ seq }) => seq)).toEqual(even.filter((seq) => seq > 20));
  });

  it('answer 404 to a caller who does not see the card', async () => {
    const { one, other, board, ofCard, page } = await cardWith();
    await expect(page({ card: other })).rejects.toMatchObject({ code: 'not_found' });
    card.seenBy.set(board, []);
    await expect(ofCard(5)).rejects.toMatchObject({ code: 'not_found' });
    await expect(page({ card: one })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a log whose oldest events were dropped', () => {
  it('answers 410 with the oldest number, to lists and unfiltered reads, and continues after it', async () => {
    const { caller, titles, page, note } = await logWith(numbered(5));
    const { workspace_id } = caller;
    await harness.db.transaction(async (tx) => {
      await sql`update events set logged_on = logged_on - 1 where workspace_id = ${workspace_id}`.execute(tx);
      await sql`update days set logged_on = logged_on - 1 where workspace_id = ${workspace_id}`.execute(tx);
    });
    await note(numbered(3));
    expect(await titles()).toHaveLength(8);
    const { head } = await page({ limit: 2 });
    const late = await page({ order: 'desc', limit: 5 });
    expect(await dropDays(harness.db, new Date())).toBe(1);

    expect(await titles()).toEqual(['1', '2', '3']);
    expect(await titles({ after: 5 })).toEqual(['1', '2', '3']);
    expect(await titles({ order: 'desc', limit: 2 })).toEqual(['3', '2', '1']);
    expect(JSON.parse((await page({ order: 'desc', cursor: late.head.next_cursor ?? '' })).text)).toEqual([]);
    await expect(page({ order: 'desc', after: 4 })).rejects.toMatchObject({ code: 'gone', details: { oldest: 6 } });
    const gone = { code: 'gone', details: { oldest: 6 } };
    await expect(page({ after: 4 })).rejects.toMatchObject(gone);
    await expect(page({ after: 0 })).rejects.toMatchObject(gone);
    await expect(page({ cursor: head.next_cursor ?? '' })).rejects.toMatchObject(gone);
    const raw = (after: number) => harness.bus.call(readLog, { workspace_id, after, limit: 2 });
    await expect(raw(3)).rejects.toMatchObject(gone);
    expect(await raw(5)).toMatchObject({ events: [{ seq: 6 }, { seq: 7 }], through: 7, last: 8 });
    expect(await dropDays(harness.db, new Date())).toBe(0);
  });

  it('has full pages from its oldest number on, however great that is', async () => {
    const { caller, page } = await logWith([{ title: 'first' }, { title: 'label', type: 'label.updated' }]);
    const { workspace_id } = caller;
    await harness.db.transaction(async (tx) => {
      await sql`update events set seq = seq * 20000 + 4000000 where workspace_id = ${workspace_id}`.execute(tx);
      await sql`update days set first_seq = 4020000 where workspace_id = ${workspace_id}`.execute(tx);
      await sql`update logs set last = 4040000 where workspace_id = ${workspace_id}`.execute(tx);
    });
    for (const order of ['asc', 'desc'] as const) {
      const { head, text } = await page({ types: 'label.*', order });
      expect([JSON.parse(text).length, head.next_cursor]).toEqual([1, null]);
    }
  });

  it('ends a page early if its reader sees few of very many events, and continues with its cursor', async () => {
    const { caller, titles, page } = await logWith([{ title: 'first' }, { title: 'last' }]);
    const { workspace_id } = caller;
    await harness.db.transaction(async (tx) => {
      await sql`update events set seq = 3000000 where workspace_id = ${workspace_id} and seq = 2`.execute(tx);
      await sql`update logs set last = 3000000 where workspace_id = ${workspace_id}`.execute(tx);
    });
    for (const order of ['asc', 'desc'] as const) {
      const { head, text } = await page({ order });
      expect([JSON.parse(text).length, head.next_cursor]).toEqual([1, expect.any(String)]);
      expect(await titles({ order })).toEqual(order === 'asc' ? ['first', 'last'] : ['last', 'first']);
    }
  });
});
