import type { PulledFeed } from '@cardinal/contracts';
import { appendChanges, type Change } from '@cardinal/db';
import { waitingForLock } from '@cardinal/testkit/instance';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { listFeeds, pullFeeds, shareOf } from '../src/feeds/queries.ts';
import { change, feedDatabase } from './support/feed-database.ts';

const db = await feedDatabase();
afterAll(() => db.close());

const note = (workspaceId: string, ...changes: Change[]) =>
  db.transaction((tx) => appendChanges(tx, workspaceId, changes));

/** A writer that appended a change and has not committed yet. */
const openWriter = async (workspaceId: string) => {
  const hold = Promise.withResolvers<void>();
  const noted = Promise.withResolvers<void>();
  const written = db.transaction(async (tx) => {
    await appendChanges(tx, workspaceId, [change()]);
    noted.resolve();
    await hold.promise;
  });
  const commit = () => {
    hold.resolve();
    return written;
  };
  onTestFinished(commit);
  await noted.promise;
  return { commit };
};

const pull = async (workspaceId: string, after = 0) => {
  const [feed] = await pullFeeds(db, [{ workspace_id: workspaceId, after }]);
  return feed as PulledFeed;
};
const seqsOf = ({ changes }: PulledFeed) => changes.map(({ seq }) => seq);
const lastNoted = ({ changes }: PulledFeed) => changes.at(-1)?.noted_at ?? Number.NaN;

/** The time of the database's clock, in microseconds. */
const moment = async () => {
  const now = sql<{ now: number }>`select (extract(epoch from clock_timestamp()) * 1000000)::bigint as now`;
  const { rows } = await db.read((tx) => now.execute(tx));
  return rows[0]?.now ?? Number.NaN;
};

describe('a pull', () => {
  test('returns what follows each position, in the order of the request, complete up to now', async () => {
    const [busy, quiet, unknown] = [v7(), v7(), v7()];
    const changes = [change(), change(), change()];
    await note(busy, ...changes);
    await note(quiet, change());
    const before = await moment();
    const asked = [unknown, quiet, busy].map((workspace_id) => ({ workspace_id, after: 1 }));
    const feeds = await pullFeeds(db, asked);
    expect(feeds.map(({ workspace_id }) => workspace_id)).toEqual([unknown, quiet, busy]);
    expect(feeds.map(({ last }) => last)).toEqual([0, 1, 3]);
    expect(feeds.map(seqsOf)).toEqual([[], [], [2, 3]]);
    for (const { complete_to } of feeds) expect(complete_to).toBeGreaterThan(before);
    const [, second, third] = changes;
    expect(feeds[2]).toMatchObject({
      last_id: third?.id,
      changes: [
        { ...second, seq: 2, previous_id: changes[0]?.id },
        { ...third, seq: 3, previous_id: second?.id },
      ],
    });
  });

  test('does not wait for writers: it is complete up to the last commit', async () => {
    const workspace = v7();
    await note(workspace, change());
    const first = await pull(workspace);
    const { commit } = await openWriter(workspace);
    const amid = await pull(workspace);
    expect(seqsOf(amid)).toEqual([1]);
    expect(amid.complete_to).toBe(lastNoted(first) + 1);
    await commit();
    const after = await pull(workspace, 1);
    expect(seqsOf(after)).toEqual([2]);
    expect(lastNoted(after)).toBeGreaterThanOrEqual(amid.complete_to);
    expect(after.complete_to).toBeGreaterThan(lastNoted(after));
  });

  test('is not delayed by a writer in another workspace', async () => {
    const [stuck, free] = [v7(), v7()];
    await note(stuck, change());
    await openWriter(stuck);
    await note(free, change());
    const asked = [stuck, free].map((workspace_id) => ({ workspace_id, after: 0 }));
    const [behind, complete] = await pullFeeds(db, asked);
    expect(behind?.complete_to).toBeLessThan(complete?.changes[0]?.noted_at ?? Number.NaN);
    expect(complete?.complete_to).toBeGreaterThan(complete?.changes[0]?.noted_at ?? Number.NaN);
  });

  test('waits for the first writer of a workspace, whose feed does not exist yet', async () => {
    const workspace = v7();
    const { commit } = await openWriter(workspace);
    const pulling = pull(workspace);
    await expect.poll(() => waitingForLock(db)).toBe(1);
    await commit();
    expect(seqsOf(await pulling)).toEqual([1]);
  });

  test('returns nothing after the end of a feed, and reports the end', async () => {
    const workspace = v7();
    const only = change();
    await note(workspace, only);
    expect(await pull(workspace, 7)).toMatchObject({ last: 1, last_id: only.id, changes: [] });
  });

  test('never returns an earlier change after it reported completeness, whatever the order of writers and pulls', async () => {
    const workspaces = Array.from({ length: 4 }, () => v7());
    const positions = new Map(
      workspaces.map((id) => [id, { after: 0, complete_to: 0, last_id: null as string | null }]),
    );
    const counts = [1, 2, 3];
    let writers = 6;
    const write = async (at: number) => {
      for (let round = 0; round < 60; round += 1) {
        const failing = round % 7 === 3;
        const written = db.transaction(async (tx) => {
          const news = Array.from({ length: counts[(at + round) % 3] as number }, () => change());
          await appendChanges(tx, workspaces[(at + round) % 4] as string, news);
          // Some commit late, and some fail.
          if (round % 5 === 0) await sql`select pg_sleep(0.003)`.execute(tx);
          if (failing) throw new Error('rolled back');
        });
        await written.catch((error) => expect(error.message).toBe('rolled back'));
      }
      writers -= 1;
    };
    const take = async () => {
      const asked = workspaces.map((id) => ({ workspace_id: id, after: positions.get(id)?.after ?? 0 }));
      for (const { workspace_id, complete_to, changes } of await pullFeeds(db, asked)) {
        const position = positions.get(workspace_id) as { after: number; complete_to: number; last_id: string | null };
        for (const { seq, id, previous_id, noted_at } of changes) {
          expect(seq).toBe(position.after + 1);
          expect(previous_id).toBe(position.last_id);
          expect(noted_at).toBeGreaterThanOrEqual(position.complete_to);
          Object.assign(position, { after: seq, last_id: id });
        }
        position.complete_to = Math.max(position.complete_to, complete_to);
      }
    };
    const pulls = async () => {
      while (writers > 0) await take();
      await take();
    };
    await Promise.all([pulls(), ...Array.from({ length: 6 }, (_, at) => write(at))]);
    const { rows } = await db.read((tx) =>
      sql<{ workspace_id: string; last: number }>`
        select workspace_id, last from feeds where workspace_id = any (${workspaces}::uuid[])`.execute(tx),
    );
    expect(rows).toHaveLength(4);
    for (const { workspace_id, last } of rows) expect(positions.get(workspace_id)?.after).toBe(last);
  });

  test('fits into a message, and is complete up to where it was cut', async () => {
    const [long, short, none] = [v7(), v7(), v7()];
    // Two of them fit.
    const large = () => change('x'.repeat(400_000));
    for (let count = 0; count < 4; count += 1) await note(long, large());
    await note(short, change());
    const asked = [long, short].map((workspace_id) => ({ workspace_id, after: 0 }));
    const [cut, whole] = await pullFeeds(db, asked);
    expect(seqsOf(cut as PulledFeed)).toEqual([1, 2]);
    expect(cut).toMatchObject({ last: 4, complete_to: lastNoted(cut as PulledFeed) + 1 });
    expect(seqsOf(whole as PulledFeed), 'the first change of each feed comes before the second of any').toEqual([1]);
    expect(whole?.complete_to).toBeGreaterThan(cut?.complete_to ?? 0);
    const rest = await pull(long, 2);
    expect(seqsOf(rest)).toEqual([3, 4]);
    expect(rest.complete_to).toBeGreaterThan(lastNoted(rest) + 1);

    // A quotation mark takes four bytes as a string within a string.
    await note(none, change('"'.repeat(300_000)), change());
    const [first, second] = await pullFeeds(
      db,
      [none, short].map((workspace_id) => ({ workspace_id, after: 0 })),
    );
    expect(seqsOf(first as PulledFeed), 'one comes however long it is').toEqual([1]);
    expect(second, 'nothing came, so nothing is complete').toMatchObject({ changes: [], last: 1, complete_to: 0 });
  });

  test('counts characters that a message escapes', async () => {
    const workspace = v7();
    // Two of them fit as they are stored, but not as strings in a message.
    const quoted = () => change('"'.repeat(150_000));
    await note(workspace, quoted(), quoted(), change());
    const feed = await pull(workspace);
    expect(seqsOf(feed)).toEqual([1]);
    expect(feed.complete_to).toBe(lastNoted(feed) + 1);
    expect(seqsOf(await pull(workspace, 1))).toEqual([2, 3]);
  });

  test('returns as many changes as the limit allows', async () => {
    const workspace = v7();
    await note(workspace, ...Array.from({ length: 2_100 }, () => change()));
    const [first, second] = [await pull(workspace), await pull(workspace, 1_000)];
    expect(first.changes.length).toBeGreaterThan(1_000);
    expect(first.complete_to).toBe(lastNoted(first) + 1);
    expect(seqsOf(second)).toEqual(Array.from({ length: 1_100 }, (_, at) => 1_001 + at));
    expect(second.complete_to).toBeGreaterThan(lastNoted(second) + 1);
  });

  test('begins with the oldest change that was not purged', async () => {
    const [some, all] = [v7(), v7()];
    for (const workspace of [some, all]) await note(workspace, change(), change(), change());
    await db.transaction((tx) => sql`delete from changes where workspace_id = ${some} and seq < 3`.execute(tx));
    await db.transaction((tx) => sql`delete from changes where workspace_id = ${all}`.execute(tx));
    expect(seqsOf(await pull(some))).toEqual([3]);
    const before = await moment();
    const gone = await pull(all);
    expect(gone).toMatchObject({ last: 3, changes: [] });
    expect(gone.complete_to).toBeGreaterThanOrEqual(before - 1_000_000);
  });
});

test.each([
  [[], 10, 10],
  [[3, 3], 10, 10],
  [[9, 9], 10, 5],
  [[1, 9, 9], 10, 4],
  [[100], 10, 10],
])('of %j with room for %i each has at most %i', (counts, room, share) => {
  expect(shareOf(counts, room)).toBe(share);
});

describe('a list of feeds', () => {
  const list = (since: number | null, after_workspace_id: string | null = null) =>
    listFeeds(db, { since, after_workspace_id });
  const idsOf = ({ feeds }: Awaited<ReturnType<typeof list>>) => feeds.map(({ workspace_id }) => workspace_id);

  test('has those with changes since the look before, including those of writers that were open then', async () => {
    const [early, amid, late] = [v7(), v7(), v7()];
    await note(early, change());
    const { commit } = await openWriter(amid);
    const first = await list(null);
    expect(idsOf(first)).toContain(early);
    expect(idsOf(first)).not.toContain(amid);
    const last = change();
    await note(late, change(), last);
    await commit();
    const second = await list(first.looked_at);
    expect(idsOf(second).toSorted()).toEqual([amid, late].toSorted());
    expect(second.feeds).toContainEqual({ workspace_id: late, last: 2, last_id: last.id });
    expect(idsOf(await list(second.looked_at))).toEqual([]);
  });

  test('comes in pages, each feed once, without empty feeds', async () => {
    const own = await feedDatabase();
    onTestFinished(() => own.close());
    await own.transaction((tx) =>
      sql`insert into feeds (workspace_id, last) select gen_random_uuid(), (n > 1)::int from generate_series(1, 10002) as n`.execute(
        tx,
      ),
    );
    const found: string[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof list>> = await listFeeds(own, { since: null, after_workspace_id: after });
      found.push(...idsOf(page));
      after = page.next_workspace_id;
    } while (after);
    expect(found).toHaveLength(10_001);
    expect(new Set(found).size).toBe(10_001);
  });
});
