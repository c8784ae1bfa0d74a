import { rounds } from '@cardinal/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Reader } from '../src/context.ts';
import { addEdges } from '../src/graph/add.ts';
import { addAgreeing } from '../src/graph/agreeing-edges.ts';
import { startCardDouble } from './support/card-double.ts';
import { anEdge, createClient } from './support/client.ts';
import { startHarness } from './support/harness.ts';

const harness = await startHarness({ instances: 2 });
const card = await startCardDouble(harness.natsUrl);

const setUp = (count: number) => {
  const client = createClient(harness);
  return { ...client, ids: card.add(client.who.workspace_id, count) };
};

const codeOf = (error: { code: string }) => error.code;

test('of two opposite concurrent dependencies one is added, never both, many times', async () => {
  const times = rounds(500);
  const { put, who, ids, edges, inversions } = setUp(2 * times);
  const elsewhere = createClient({ bus: harness.otherBus, db: harness.db }, who.workspace_id);
  const pairs = Array.from({ length: times }, (_, index) => ids.slice(2 * index, 2 * index + 2) as [string, string]);
  for (let from = 0; from < pairs.length; from += 10) {
    await Promise.all(
      pairs.slice(from, from + 10).map(async ([a, b]) => {
        const outcomes = await Promise.all(
          [put(a, b), elsewhere.put(b, a)].map((one) => one.then(() => 'added', codeOf)),
        );
        expect(outcomes.sort()).toEqual(['added', 'conflict']);
      }),
    );
  }
  expect(await edges()).toHaveLength(times);
  expect(await inversions()).toEqual([]);
});

test('concurrent dependencies around many cycles leave each cycle open at exactly one place', async () => {
  const { put, ids, edges, inversions } = setUp(100);
  const circles = Array.from({ length: 20 }, (_, index) => ids.slice(index * 5, index * 5 + 5));
  const outcomes = await Promise.all(
    circles.map((circle) =>
      Promise.all(circle.map((id, at) => put(id, circle[(at + 1) % 5] as string).then(() => 'added', codeOf))),
    ),
  );
  for (const outcome of outcomes) {
    expect(outcome.toSorted()).toEqual(['added', 'added', 'added', 'added', 'conflict']);
  }
  expect(await edges()).toHaveLength(80);
  expect(await inversions()).toEqual([]);
});

test('any sequence has the outcome of a search of the whole graph', async () => {
  const step = fc.record({ add: fc.boolean(), from: fc.nat(9), to: fc.nat(9), again: fc.boolean() });
  const check = async (steps: { add: boolean; from: number; to: number; again: boolean }[]) => {
    const { put, remove, ids, edges, inversions } = setUp(10);
    const known = new Set<string>();
    const reaches = (from: number, to: number) => {
      const seen = new Set([from]);
      for (const one of seen) for (let next = 0; next < 10; next += 1) if (known.has(`${one}>${next}`)) seen.add(next);
      return seen.has(to);
    };
    for (const { add, from, to, again } of steps) {
      const [card_id, depends_on] = [ids[from] as string, ids[to] as string];
      if (from === to) continue;
      if (add || again) {
        const expected = reaches(to, from) ? 'conflict' : 'added';
        expect(await put(card_id, depends_on).then(() => 'added', codeOf)).toBe(expected);
        if (expected === 'added') known.add(`${from}>${to}`);
      } else {
        await remove(card_id, depends_on);
        known.delete(`${from}>${to}`);
      }
    }
    expect(await inversions()).toEqual([]);
    const kept = (await edges()).map((edge) => `${ids.indexOf(edge.card_id)}>${ids.indexOf(edge.depends_on_card_id)}`);
    expect(new Set(kept)).toEqual(known);
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), check), {
    numRuns: rounds(40, 5),
  });
});

test('a long chain created in the worst order is complete in the end, and does not close', async () => {
  const length = 60;
  const { put, ids, inversions } = setUp(length);
  // Pairs first, then what connects them: the later ones meet two chains in the wrong order.
  const links = Array.from({ length: length - 1 }, (_, index) => index);
  const worst = [...links.filter((index) => index % 2 === 0).reverse(), ...links.filter((index) => index % 2 === 1)];
  for (const index of worst.toSorted((one, other) => (one % 2) - (other % 2) || one - other)) {
    await put(ids[index] as string, ids[index + 1] as string);
  }
  expect(await inversions()).toEqual([]);
  const refusal = await put(ids.at(-1) as string, ids[0] as string).catch((error) => error);
  expect(refusal.code).toBe('conflict');
  expect(refusal.details.path).toHaveLength(length + 1);
});

test('a chain of thousands is searched in one go, and its cycle is reported by its beginning and end', async () => {
  const length = 5_000;
  const { put, ids, who } = setUp(length);
  const rows = { workspace_id: who.workspace_id };
  await harness.db.transaction(async (tx) => {
    await tx
      .insertInto('workspaces')
      .values({ ...rows, last_change: length, first_position: -length })
      .execute();
    for (let from = 0; from < length; from += 1_000) {
      const some = ids.slice(from, from + 1_000).map((id, index) => ({ id, at: from + index }));
      await tx
        .insertInto('cards')
        .values(some.map(({ id, at }) => ({ ...rows, id, position: -at })))
        .execute();
      const created_at = new Date();
      const edges = some.flatMap(({ id, at }) => {
        const next = ids[at + 1];
        return next ? [{ ...rows, card_id: id, depends_on_card_id: next, version: at + 1, created_at }] : [];
      });
      await tx.insertInto('edges').values(edges).execute();
    }
    // As after growing so long by itself; without statistics the search takes seconds.
    await sql`analyze edges, cards`.execute(tx);
  });
  const refusal = await put(ids.at(-1) as string, ids[0] as string).catch((error) => error);
  expect(refusal.code).toBe('conflict');
  const name = (id: string | undefined) => card.identifierOf(who.workspace_id, id ?? '');
  const { path } = refusal.details;
  expect([path[0], path[1], path[499], path.at(-1), path.length]).toEqual([
    name(ids.at(-1)),
    name(ids[0]),
    name(ids[498]),
    name(ids.at(-1)),
    501,
  ]);
  await put(ids[0] as string, ids.at(-1) as string);
});

/** The number of rows of the graph that the transaction has read. */
const rowsRead = async (tx: Reader) => {
  const { rows } = await sql<{ tuples: number }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as tuples from pg_stat_xact_user_tables
    where relname in ('cards', 'edges', 'workspaces')`.execute(tx);
  return rows[0]?.tuples ?? 0;
};

test('a new dependency reads no more of a large graph than of a small one', async () => {
  const { put, who, ids } = setUp(6);
  const [a = '', b = '', ...others] = ids;
  await put(a, b);
  const costOf = (card_id = '', depends_on_card_id = '') =>
    harness.db.transaction(async (tx) => {
      const before = await rowsRead(tx);
      const added = await addAgreeing(tx, who.workspace_id, [anEdge(card_id, depends_on_card_id)]);
      expect(added).toMatchObject([{ result: 'added' }]);
      return (await rowsRead(tx)) - before;
    });
  const inSmall = await costOf(others[0], b);
  await harness.db.transaction(async (tx) => {
    const among = 20_000;
    const id = (n: string) => sql`('00000000-0000-7000-8000-' || lpad(to_hex(${sql.raw(n)}), 12, '0'))::uuid`;
    await sql`insert into cards (workspace_id, id, position)
      select ${who.workspace_id}, ${id('n')}, 1000 + n from generate_series(1, ${among}::int) as n`.execute(tx);
    await sql`insert into edges (workspace_id, card_id, depends_on_card_id, version, created_at)
      select ${who.workspace_id}, ${id('n + 1')}, ${id('n')}, 1000 + n, now()
      from generate_series(1, ${among}::int - 1) as n`.execute(tx);
    await sql`analyze edges, cards`.execute(tx);
  });
  expect(await costOf(others[1], b)).toBeLessThanOrEqual(inSmall + 5);
});

test('those that agree with the order are added together without the lock, each after those before it', async () => {
  const { put, who, ids, cards, edges, events, handOverDeleted } = setUp(9);
  const [a = '', b = '', c = '', d = '', e = '', f = '', gone = '', full = '', h = ''] = ids;
  await put(a, b);
  await handOverDeleted(gone);
  await harness.db.transaction((tx) =>
    sql`insert into edges (workspace_id, card_id, depends_on_card_id, version, created_at)
      select ${who.workspace_id}::uuid, ${full}::uuid, gen_random_uuid(), -n, now()
      from generate_series(1, 999) as n`.execute(tx),
  );
  const noLock = {
    ...harness.db,
    transaction: async () => {
      throw new Error('took the lock');
    },
  };
  const add = (...pairs: [string, string][]) =>
    addEdges(
      noLock,
      who.workspace_id,
      pairs.map(([from, to]) => anEdge(from, to)),
    );
  const before = new Date();
  const additions = await add([a, c], [a, b], [d, c], [a, c], [a, gone], [full, e], [full, f], [d, e], [a, gone]);
  const [first] = additions;
  if (first?.result !== 'added') throw new Error('nothing was added');
  const { version, created_at } = first.edge;
  expect(additions).toMatchObject([
    { result: 'added', edge: { card_id: a, depends_on_card_id: c } },
    { result: 'there', edge: { depends_on_card_id: b, version: 1 } },
    { result: 'added', edge: { card_id: d, depends_on_card_id: c, version: version + 1, created_at } },
    { result: 'there', edge: { card_id: a, depends_on_card_id: c, version, created_at } },
    { result: 'gone' },
    { result: 'added', edge: { card_id: full, depends_on_card_id: e, version: version + 2 } },
    { result: 'full' },
    { result: 'added', edge: { card_id: d, depends_on_card_id: e, version: version + 3 } },
    { result: 'gone' },
  ]);
  expect(created_at.getTime()).toBeGreaterThanOrEqual(before.getTime());
  expect((await edges()).filter((edge) => edge.version >= version)).toEqual([
    { card_id: a, depends_on_card_id: c, version },
    { card_id: d, depends_on_card_id: c, version: version + 1 },
    { card_id: full, depends_on_card_id: e, version: version + 2 },
    { card_id: d, depends_on_card_id: e, version: version + 3 },
  ]);
  const emitted = await events();
  expect(emitted.slice(1)).toMatchObject(
    [0, 1, 2, 3].map((at) => ({ aggregate_version: version + at, occurred_at: created_at.toISOString() })),
  );
  const positions = (await cards()).map(({ position }) => position).filter((position) => position !== null);
  expect(positions.toSorted((one, other) => one - other)).toEqual([-3, -2, -1, 1, 2, 3]);
  expect(await add([a, c]), 'what is there needs no lock').toMatchObject([{ result: 'there', edge: { version } }]);
  await expect(add([b, d]), 'against the order').rejects.toThrow('took the lock');
  await expect(add([a, f], [f, h]), 'new, and on both sides').rejects.toThrow('took the lock');
});
