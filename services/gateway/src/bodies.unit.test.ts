import { expect, it } from 'vitest';
import { hasMoreMembersThan } from './bodies.ts';

it.each<[string, number]>([
  ['', 0],
  ['7', 0],
  ['{}', 1],
  ['{"a":1}', 1],
  ['{"a":1,"b":[1,2,{"c":3}]}', 6],
  ['{"a,[{":"\\",[{\\\\","b":"😀,"}', 2],
  ['"\\\\",', 1],
  ['[[[[', 4],
  ['"never closed, [ {', 0],
])('%s has %i', (text, members) => {
  const bytes = Buffer.from(text);
  expect(hasMoreMembersThan(bytes, members)).toBe(false);
  expect(hasMoreMembersThan(bytes, members - 1)).toBe(members > 0);
});
