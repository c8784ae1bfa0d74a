import { describe, expect, it } from 'vitest';
import { failureOf, talkTo } from '../test/serve.ts';

const id = '0190a000-0000-7000-8000-000000000001';
const mine = { title: 'mine', priority: null };

/** A service whose card is at a version further each time, and names who changed what. */
const beside = (answer: (sending: number) => { changed: string[]; complete?: boolean } | undefined) =>
  talkTo(({ headers }, sending) => {
    const stale = answer(sending);
    if (!stale) return { status: 200, body: { data: { id, title: headers['if-match'] } } };
    const { changed, complete = true } = stale;
    const details = { current_version: sending + 1, changes: [{ version: sending + 1, changed }], complete };
    return { status: 412, body: { error: { code: 'precondition_failed', message: 'No.', details } } };
  });

describe('a patch that merges', () => {
  it('is sent again with the current version while others change other fields', async () => {
    const { client, seen } = await beside((sending) => (sending < 4 ? { changed: ['due_date'] } : undefined));
    expect(await client.cards.update({ id, version: 1 }, mine, { merge: true })).toMatchObject({ title: '"4"' });
    expect(seen.map(({ headers }) => headers['if-match'])).toEqual(['"1"', '"2"', '"3"', '"4"']);
    expect(new Set(seen.map(({ body }) => body))).toEqual(new Set([JSON.stringify(mine)]));
  });

  it.each([
    ['where a field of it changed', { changed: ['priority', 'title'] }, 1],
    ['where not all changes are known', { changed: ['due_date'], complete: false }, 4],
  ])('is refused with the fields of both sides, %s', async (_, stale, sendings) => {
    const { client, seen } = await beside(() => stale);
    expect(await failureOf(client.cards.update({ id, version: 1 }, mine, { merge: true }))).toMatchObject({
      code: 'precondition_failed',
      details: { changes: [{ changed: stale.changed }], patched: ['title', 'priority'] },
    });
    expect(seen.map(({ headers }) => headers['if-match'])).toEqual(Array(sendings).fill('"1"'));
  });

  it('gives up after sixteen repeats', async () => {
    const { client, seen } = await beside(() => ({ changed: ['due_date'] }));
    await failureOf(client.cards.update({ id, version: 1 }, mine, { merge: true }));
    expect(seen).toHaveLength(17);
  });

  it('is sent once where it need not merge', async () => {
    const { client, seen } = await beside(() => ({ changed: ['due_date'] }));
    const late = await failureOf(client.cards.update({ id, version: 1 }, mine));
    expect(late).not.toHaveProperty('details.patched');
    expect(seen).toHaveLength(1);
  });
});
