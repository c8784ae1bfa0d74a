import { expect, it } from 'vitest';
import { table } from './print.ts';

it('lines columns up, cuts the last one, and lets no text steer the terminal', () => {
  const rows = [
    { identifier: 'WEB-13', commits: 2, title: 'Refund\u001b[31m twice\n' },
    { identifier: 'OLD-4', commits: 10, title: '' },
  ];
  expect(table(rows, 80)).toEqual([
    'identifier  commits  title',
    'WEB-13      2        Refund [31m twice',
    'OLD-4       10',
  ]);
  expect(table(rows, 26)).toEqual(['identifier  commits  title', 'WEB-13      2        Refu…', 'OLD-4       10']);
});
