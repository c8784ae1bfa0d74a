import { expect, it } from 'vitest';
import { wordsIn, wordsOf } from './words.ts';

it('finds people by the words of their names and addresses, however they are written', () => {
  expect(wordsOf({ name: 'Zoë  Müller-LÜDENSCHEIDT', email: 'zoe.m@example.com' })).toEqual([
    'zoe',
    'muller',
    'ludenscheidt',
    'm',
    'example',
    'com',
  ]);
  expect(wordsOf({ name: null, email: null })).toEqual([]);
  expect(wordsIn('山田 太郎')).toEqual(['山田', '太郎']);
  expect(wordsIn('x'.repeat(100))).toEqual(['x'.repeat(64)]);
});
