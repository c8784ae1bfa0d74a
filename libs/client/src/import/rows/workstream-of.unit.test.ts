import { describe, expect, it } from 'vitest';
import { workstreamOf } from './workstream-of.ts';

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
