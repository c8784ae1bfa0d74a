import { describe, expect, it } from 'vitest';
import { keyOf, occurrenceCounter, placesOf, planRow, type RowRules, rowHash, rowKey, workstreamOf } from './rows.ts';

const rules: RowRules = {
  header: ['id', 'subject', 'text'],
  at: { title: 1, description: 2 },
  pattern: /\[([A-Z]+)-\d+\]/,
  truncate: false,
};

describe('planRow', () => {
  it('makes a card of title, description and workstream', () => {
    expect(planRow(['1', ' [WEB-7] fix: it ', 'Because.\n'], rules)).toMatchObject({
      body: { title: '[WEB-7] fix: it', description: 'Because.\n' },
      workstream: { prefix: 'WEB' },
    });
  });

  it('leaves an empty description out', () => {
    expect(planRow(['1', 'x', ''], rules)).toMatchObject({ body: { title: 'x' } });
    expect(planRow(['1', 'x', ''], rules)).not.toHaveProperty('body.description');
  });

  it.each([
    [['1', '  ', ''], 'title must not be empty'],
    [['1', '😀'.repeat(241), ''], 'title must have at most 240 characters'],
    [['1', 'x', 'd'.repeat(20_001)], 'description must have at most 20000 characters'],
    [['1', 'a\0b', ''], 'title must not contain NUL'],
    [['1', 'x'], '2 fields where the header has 3'],
  ])('tells what the API would refuse', (cells, problem) => {
    expect(planRow(cells, rules)).toEqual({ problem });
  });

  it('takes 240 code points as they are', () => {
    expect(planRow(['1', '😀'.repeat(240), ''], rules)).toMatchObject({ body: { title: '😀'.repeat(240) } });
  });

  it('shortens on request, but reads the workstream from the whole title', () => {
    const planned = planRow(['1', `${'😀'.repeat(250)} [WEB-1]`, 'd'.repeat(20_001)], { ...rules, truncate: true });
    expect(planned).toMatchObject({
      body: { title: `${'😀'.repeat(239)}…`, description: `${'d'.repeat(19_999)}…` },
      workstream: { prefix: 'WEB' },
    });
    expect(planRow(['1', '', ''], { ...rules, truncate: true })).toEqual({ problem: 'title must not be empty' });
  });
});

describe('planRow with mapped columns', () => {
  const ada = '0190a000-0000-7000-8000-00000000000a';
  const header = ['title', 'due', 'priority', 'tags', 'owner'];
  const mapped = { due_date: 'due', priority: 'priority', labels: 'tags', assignees: 'owner' };
  const at = placesOf(header, { title: 'title', ...mapped });
  const plan = (...cells: string[]) => planRow(cells, { header, at, pattern: undefined, truncate: false });

  it('sets due date, priority, labels and assignees', () => {
    expect(plan('x', '2026-02-01T10:00:00+02:00', 'Super Urgent', ' bug, ui ;bug', ada.toUpperCase())).toMatchObject({
      body: { title: 'x', due_date: '2026-02-01T08:00:00.000Z', priority: 'super_urgent' },
      labels: ['bug', 'ui'],
      assignees: [ada],
    });
    expect(plan('x', '2026-02-01', '', '', '')).toMatchObject({ body: { due_date: '2026-02-01T00:00:00.000Z' } });
  });

  it('leaves empty fields out', () => {
    expect(plan('x', ' ', '', ' , ', '')).toMatchObject({ body: { title: 'x' }, labels: [], assignees: [] });
    expect(plan('x', ' ', '', '', '')).not.toHaveProperty('body.priority');
  });

  it.each([
    [['x', 'tomorrow', '', '', ''], 'due_date must be an RFC 3339 date-time, such as 2030-01-31T17:00:00Z'],
    [['x', '', 'high', '', ''], expect.stringMatching(/^priority .*super_urgent/)],
    [['x', '', '', 'l'.repeat(121), ''], 'labels must have at most 120 characters'],
    [['x', '', '', '', 'Ada'], 'assignees must be ids of users (UUIDs), separated by commas'],
  ])('tells what the API would refuse', (cells, problem) => {
    expect(plan(...cells)).toEqual({ problem });
  });
});

describe('placesOf', () => {
  const find = (header: string[], title: string) => placesOf(header, { title });

  it('passes over white space', () => {
    expect(find(['n', ' title '], 'title')).toEqual({ title: 1 });
  });

  it.each([
    [['n', 'title'], 'Titel', 'no column "Titel"; did you mean "title"? the file has "n", "title"'],
    [['Subject', 'Body'], 'subjects', 'no column "subjects"; did you mean "Subject"? the file has "Subject", "Body"'],
    [['n', 'title'], 'body', 'no column "body"; the file has "n", "title"'],
    [['a', 'a'], 'a', 'the file has several columns "a"'],
  ])('of %j has no "%s"', (header, name, message) => {
    expect(() => find(header, name)).toThrow(message);
  });
});

describe('workstreamOf', () => {
  it.each([
    ['[WEB-12] fix', /\[([A-Z]+)-\d+\]/, { prefix: 'WEB' }],
    ['web: fix', /^\w+(?=:)/, { prefix: 'WEB' }],
    ['PAY-1 fix', /\[([A-Z]+)\]|^([A-Z]+)-/, { prefix: 'PAY' }],
    ['fix', /\[([A-Z]+)-\d+\]/, {}],
    ['fix', undefined, {}],
    ['x[]', /\[([A-Z]*)\]/, {}],
    ['z-4', /([a-z])-\d/, { unusable: 'z' }],
    ['9AB-4', /(\w+)-\d/, { unusable: '9AB' }],
    ['ABCDEFGHIJK-4', /(\w+)-\d/, { unusable: 'ABCDEFGHIJK' }],
  ])('reads %j with %s', (title, pattern, expected) => {
    expect(workstreamOf(title, pattern)).toEqual(expected);
  });
});

const keysOf = (columnId: string, header: string[], rows: string[][]) => {
  const occurrence = occurrenceCounter();
  return rows.map((cells) => {
    const hash = rowHash(header, cells);
    return rowKey(columnId, hash, occurrence(hash));
  });
};
const columns = ['hash', 'subject'];
const rows = [
  ['1', 'same'],
  ['2', 'other'],
  ['1', 'same'],
  ['1', 'same'],
];

describe('rowKey', () => {
  it('differs for every row, equal ones among them, and is the same in the next run', () => {
    const keys = keysOf('c1', columns, rows);
    expect(new Set(keys).size).toBe(rows.length);
    expect(keysOf('c1', columns, rows)).toEqual(keys);
  });

  it('stays with the row when others come, go or change places', () => {
    const keys = keysOf('c1', columns, rows);
    const changed = keysOf('c1', columns, [['9', 'new'], ['2', 'other'], ...rows.filter(([id]) => id === '1')]);
    expect(changed.slice(1).sort()).toEqual([...keys].sort());
  });

  it('does not depend on the order of the columns', () => {
    const swapped = rows.map(([a = '', b = '']) => [b, a]);
    expect(keysOf('c1', ['subject', 'hash'], swapped)).toEqual(keysOf('c1', columns, rows));
  });

  it('is another one for another column, other content, or content split otherwise', () => {
    const [key] = keysOf('c1', columns, [['1', 'same']]);
    expect(keysOf('c2', columns, [['1', 'same']])).not.toContain(key);
    expect(keysOf('c1', columns, [['1', 'same ']])).not.toContain(key);
    expect(keysOf('c1', columns, [['1s', 'ame']])).not.toContain(key);
  });

  it('is a key that the API takes, and never that of a board or workstream', () => {
    const [key = ''] = keysOf('c1', columns, rows);
    expect(key).toMatch(/^[!-~]{1,255}$/);
    expect(keyOf('board', 'x', 1)).not.toBe(keyOf('board', 'x', 2));
    expect(keyOf('board', 'x', 1)).toMatch(/^[!-~]{1,255}$/);
  });
});
