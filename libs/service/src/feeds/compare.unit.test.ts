import { expect, test } from 'vitest';
import { comparePages } from './compare.ts';

interface Thing {
  id: string;
  name: string;
}

const things = (...ids: string[]) => ids.map((id) => ({ id, name: `owner's ${id}` }));

/**
 * Compares all pages of two rows with an owner that answers at most `most` states at once. @returns comparisons by page
 */
const pagesOf = async (rows: string[], owned: string[], most = Number.POSITIVE_INFINITY) => {
  const pages: string[][] = [];
  const page = comparePages<{ id: string }, Thing>({
    atOnce: 2,
    keyOf: ({ id }) => id,
    rowsAfter: async (_, after) =>
      rows
        .filter((id) => id > (after ?? ''))
        .map((id) => ({ id }))
        .slice(0, 2),
    ask: async ({ after, through }) => {
      const range = owned.filter((id) => id > (after ?? '') && (through === null || id <= through));
      const states = things(...range.slice(0, most));
      return { states, next: range.length > most ? (states.at(-1)?.id ?? null) : null };
    },
    mend: async (_, pairs, { states }) => {
      const compared = pairs.map(([{ id }, state]) => `${id}: ${state?.name ?? 'none'}`);
      pages.push([...compared, ...states.map(({ id }) => `take ${id}`)]);
    },
  });
  let after: string | null = null;
  do after = await page('w', after);
  while (after !== null);
  return pages;
};

test('each row is compared once, and each state of the owner is applied once', async () => {
  expect(await pagesOf(['a', 'c', 'd'], ['b', 'c', 'e', 'f'])).toEqual([
    ['a: none', "c: owner's c", 'take b', 'take c'],
    ['d: none', 'take e', 'take f'],
  ]);
});

test('a row that the owner did not answer for waits for the next page', async () => {
  expect(await pagesOf(['c', 'd'], ['a', 'b', 'c'], 2)).toEqual([
    ['take a', 'take b'],
    ["c: owner's c", 'd: none', 'take c'],
    [],
  ]);
});

test('the owner is asked even where the projection is empty', async () => {
  expect(await pagesOf([], ['a'])).toEqual([['take a']]);
});
