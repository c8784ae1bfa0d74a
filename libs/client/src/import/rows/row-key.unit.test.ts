import { describe, expect, it } from 'vitest';
import { occurrenceCounter, rowHash, rowKey, thingKey } from './row-key.ts';

const keysOf = (columnId: string, header: string[], rows: string[][]) => {
  const occurrence = occurrenceCounter();
  return rows.map((cells) => {
    const hash = rowHash(header, cells);
    return rowKey(columnId, hash, occurrence(hash));
  });
};
const header = ['hash', 'subject'];
const rows = [
  ['1', 'same'],
  ['2', 'other'],
  ['1', 'same'],
  ['1', 'same'],
];

describe('rowKey', () => {
  it('differs for every row, equal ones among them, and is the same in the next run', () => {
    const keys = keysOf('c1', header, rows);
    expect(new Set(keys).size).toBe(rows.length);
    expect(keysOf('c1', header, rows)).toEqual(keys);
  });

  it('stays with the row when others come, go or change places', () => {
    const keys = keysOf('c1', header, rows);
    const changed = keysOf('c1', header, [['9', 'new'], ['2', 'other'], ...rows.filter(([id]) => id === '1')]);
    expect(changed.slice(1).sort()).toEqual([...keys].sort());
  });

  it('does not depend on the order of the columns', () => {
    const swapped = rows.map(([a = '', b = '']) => [b, a]);
    expect(keysOf('c1', ['subject', 'hash'], swapped)).toEqual(keysOf('c1', header, rows));
  });

  it('is another one for another column, other content, or content split otherwise', () => {
    const [key] = keysOf('c1', header, [['1', 'same']]);
    expect(keysOf('c2', header, [['1', 'same']])).not.toContain(key);
    expect(keysOf('c1', header, [['1', 'same ']])).not.toContain(key);
    expect(keysOf('c1', header, [['1s', 'ame']])).not.toContain(key);
  });

  it('is a key that the API takes, and never that of a board or workstream', () => {
    const [key = ''] = keysOf('c1', header, rows);
    expect(key).toMatch(/^[!-~]{1,255}$/);
    expect(thingKey('board', 'x', 1)).not.toBe(thingKey('board', 'x', 2));
    expect(thingKey('board', 'x', 1)).toMatch(/^[!-~]{1,255}$/);
  });
});
