import fc from 'fast-check';
import { expect, it } from 'vitest';
import { movesTo } from './order.ts';
import { type Gone, type Named, planReplay } from './replay.ts';

const prefixes = ['MAIN', 'WEB', 'PAY'];

/** What somebody did in a workspace: made a card, transferred one, or deleted one. */
const action = fc.record({
  what: fc.constantFrom('create', 'create', 'transfer', 'transfer', 'delete'),
  prefix: fc.constantFrom(...prefixes),
  card: fc.nat(),
});

const workspaceOf = (actions: { what: string; prefix: string; card: number }[]) => {
  const counters = new Map<string, number>();
  const alive: Named[] = [];
  const deleted: Named[] = [];
  const name = (card: Named, prefix: string, at: number) => {
    const number = (counters.get(prefix) ?? 0) + 1;
    counters.set(prefix, number);
    card.identifiers.push({ identifier: `${prefix}-${number}`, assigned_at: new Date(at * 1000).toISOString() });
  };
  for (const [n, { what, prefix, card: index }] of actions.entries()) {
    const card = alive[index % alive.length];
    if (what === 'create' || !card) {
      const made: Named = { id: `card ${n}`, isGone: false, identifiers: [] };
      name(made, prefix, n);
      alive.push(made);
    } else if (what === 'delete') {
      alive.splice(alive.indexOf(card), 1);
      deleted.push(card);
    } else if (!card.identifiers.at(-1)?.identifier.startsWith(prefix)) name(card, prefix, n);
  }
  const gone = deleted.flatMap(({ identifiers }) =>
    identifiers.map((one, n): Gone => {
      const superseded_at = identifiers[n + 1]?.assigned_at ?? null;
      return { ...one, superseded_at, is_current: superseded_at === null, adopted: false };
    }),
  );
  return { counters, alive, deleted, gone };
};

it('leads to the same identifiers of every card, alive or deleted, and to the same next numbers', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const { counters, alive, deleted, gone } = workspaceOf(actions);
      const { all, adopted, steps, next } = planReplay(alive, gone);
      const histories = new Map(
        all.map(({ id, identifiers }) => [id, identifiers.slice(0, adopted.get(id)).map((one) => one.identifier)]),
      );
      const given = [...histories.values()].flat();
      expect(new Set(given).size).toBe(given.length);
      const highest = new Map<string, number>();
      for (const identifier of given) {
        const [prefix = '', number] = identifier.split('-');
        expect(Number(number)).toBeLessThan(next.get(prefix) ?? Number.POSITIVE_INFINITY);
        highest.set(prefix, Math.max(highest.get(prefix) ?? 0, Number(number)));
      }
      for (const [prefix, number] of next) highest.set(prefix, number - 1);
      for (const { prefix, identifier, id, isFirst } of steps) {
        const number = (highest.get(prefix) ?? 0) + 1;
        highest.set(prefix, number);
        expect(identifier).toBe(`${prefix}-${number}`);
        expect(isFirst).toBe((histories.get(id) ?? []).length === 0);
        histories.set(id, [...(histories.get(id) ?? []), identifier]);
      }
      expect(highest).toEqual(counters);
      const wanted = [...alive, ...deleted].map(({ identifiers }) => identifiers.map((one) => one.identifier).join());
      expect([...histories.values()].map((one) => one.join()).sort()).toEqual(wanted.sort());
    }),
  );
});

it('moves cards into their order, and none that stays', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const both = fc.tuple(
    fc.shuffledSubarray(ids, { minLength: 7 }),
    fc.shuffledSubarray(ids, { minLength: 7 }),
    fc.subarray(ids),
  );
  fc.assert(
    fc.property(both, ([wanted, shuffled, fixed]) => {
      const isFixed = (id: string) => fixed.includes(id);
      // Those that stay are in the order among each other.
      const staying = wanted.filter(isFixed);
      const column = shuffled.map((id) => (isFixed(id) ? (staying.shift() ?? id) : id));
      for (const { id, after } of movesTo(wanted, [...column], isFixed)) {
        expect(isFixed(id)).toBe(false);
        column.splice(column.indexOf(id), 1);
        column.splice(after === undefined ? 0 : column.indexOf(after) + 1, 0, id);
      }
      expect(column).toEqual(wanted);
    }),
  );
});
