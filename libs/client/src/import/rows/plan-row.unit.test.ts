import { describe, expect, it } from 'vitest';
import { planRow, type RowRules } from './plan-row.ts';

const rules: RowRules = {
  header: ['id', 'subject', 'text'],
  titleAt: 1,
  descriptionAt: 2,
  pattern: /\[([A-Z]+)-\d+\]/,
  truncate: false,
};

describe('planRow', () => {
  it('makes a card of title, description and workstream', () => {
    expect(planRow(['1', ' [WEB-7] fix: it ', 'Because.\n'], rules)).toMatchObject({
      title: '[WEB-7] fix: it',
      description: 'Because.\n',
      workstream: { prefix: 'WEB' },
    });
  });

  it('leaves an empty description out', () => {
    expect(planRow(['1', 'x', ''], rules)).not.toHaveProperty('description');
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
    expect(planRow(['1', '😀'.repeat(240), ''], rules)).toMatchObject({ title: '😀'.repeat(240) });
  });

  it('shortens on request, but reads the workstream from the whole title', () => {
    const planned = planRow(['1', `${'😀'.repeat(250)} [WEB-1]`, 'd'.repeat(20_001)], { ...rules, truncate: true });
    expect(planned).toMatchObject({
      title: `${'😀'.repeat(239)}…`,
      description: `${'d'.repeat(19_999)}…`,
      workstream: { prefix: 'WEB' },
    });
    expect(planRow(['1', '', ''], { ...rules, truncate: true })).toEqual({ problem: 'title must not be empty' });
  });
});
