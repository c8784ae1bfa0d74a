import fc from 'fast-check';
import type { Msg } from 'nats';
import { describe, expect, it } from 'vitest';
import { assembler, groupBySize, partsOf } from './wire.ts';

describe('groupBySize', () => {
  it('keeps every item in order, and every group of more than one within the capacity as a JSON array', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 4, max: 60 }), (texts, capacity) => {
        const items = texts.map((text) => JSON.stringify(text));
        const groups = groupBySize(items, Buffer.byteLength, capacity);
        expect(groups.flat()).toEqual(items);
        for (const group of groups) {
          expect(group.length).toBeGreaterThan(0);
          if (group.length > 1) expect(Buffer.byteLength(`[${group.join(',')}]`)).toBeLessThanOrEqual(capacity);
        }
      }),
    );
  });

  it('fills a group before it begins the next', () => {
    const size = () => 9;
    expect(groupBySize([1, 2, 3, 4, 5], size, 22).map((group) => group.length)).toEqual([2, 2, 1]);
  });
});

describe('partsOf and assembler', () => {
  it('give the body back, whatever its size and wherever a character is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 3, max: 50 }), (body, capacity) => {
        const parts = partsOf(Buffer.from(body), capacity);
        expect(parts.every((part) => part.data.length <= capacity)).toBe(true);
        const assemble = assembler();
        const bodies = parts.map(({ data, headers }) =>
          assemble({ data, headers, string: () => data.toString() } as unknown as Msg),
        );
        expect(bodies.at(-1)).toBe(Buffer.from(body).toString());
        expect(bodies.slice(0, -1).every((one) => one === undefined)).toBe(true);
      }),
    );
  });
});
