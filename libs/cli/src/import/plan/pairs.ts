import { parseIdentifier } from '@cardinal/contracts';
import { type Journal, marksOf } from '../journal.ts';
import type { PlannedCard } from './cards.ts';

/**
 * Finds the cards of rows without a key that were corrected since: their names follow from their content. A row that no card of
 * the journal was made of gets the next card that is left with the same id in the tracker, else with the same title.
 * @param rows the rows with the names of their content
 * @returns names in the journal by names of the content; only those that differ
 */
export const pairRows = async (
  rows: AsyncIterable<PlannedCard>,
  { cards }: Pick<Journal, 'cards'>,
): Promise<Map<string, string>> => {
  const pairs = new Map<string, string>();
  const left = new Map([...cards].filter(([name]) => parseIdentifier(name) === undefined));
  if (left.size === 0) return pairs;
  const corrected: { name: string; marks: readonly string[] }[] = [];
  for await (const row of rows) {
    const isKeyed = row.identity !== undefined && !row.isNumbered;
    if (!isKeyed && !left.delete(row.name)) corrected.push({ name: row.name, marks: marksOf(row) });
  }
  const [ofTitle, ofSource] = [0, 1] as const;
  for (const mark of [ofSource, ofTitle]) {
    const names = new Map<string, string[]>();
    for (const [name, { row }] of left) {
      const same = names.get(row?.[mark] ?? '') ?? [];
      same.push(name);
      names.set(row?.[mark] ?? '', same);
    }
    for (const { name, marks } of corrected) {
      const same = marks[mark] ? names.get(marks[mark]) : undefined;
      const found = pairs.has(name) ? undefined : same?.shift();
      if (found === undefined) continue;
      pairs.set(name, found);
      left.delete(found);
    }
  }
  return pairs;
};
