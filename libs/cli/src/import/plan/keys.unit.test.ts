import { expect, it } from 'vitest';
import { identityBy, meaningOf } from './keys.ts';

const rules = { prefix: 'WEB' };

it.each([
  ['12', 'WEB-12'],
  ['12.0', 'WEB-12'],
  ['#0012', 'WEB-12'],
  ['APP-12', 'APP-12'],
  ['APP\u201312', 'APP-12'],
  ['APP-１２', 'APP-12'],
])('%s is %s', (key, identifier) => {
  expect(identityBy(key, rules)?.key).toBe(identifier);
});

it.each(['1,234', '1 234', '1’234', '12.5', '1.000', '1.000.000', '1e3', '1.2E+11', '0x10'])(
  'takes no part of %s for a number',
  (key) => {
    expect(meaningOf(key, rules)).toEqual({ problem: `the key "${key}" is an ambiguous number` });
  },
);

it('asks for another prefix where one of years could be meant', () => {
  expect(meaningOf('2024-0012', rules)).toEqual({ foreign: '2024' });
});
