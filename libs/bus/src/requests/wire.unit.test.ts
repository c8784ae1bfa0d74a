import { Document, documentOf } from '@cardinal/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, frameOf, groupBySize, readAnswers, writeAnswer } from './wire.ts';

describe('groupBySize', () => {
  it('keeps every item in order, and every group of more than one within the capacity as a JSON array', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 4, max: 60 }), (texts, capacity) => {
        const items = texts.map((text) => ({
          text: JSON.stringify(text),
          size: Buffer.byteLength(JSON.stringify(text)),
        }));
        const groups = groupBySize(items, capacity);
        expect(groups.flat()).toEqual(items);
        for (const group of groups) {
          expect(group.length).toBeGreaterThan(0);
          const body = `[${group.map(({ text }) => text).join(',')}]`;
          if (group.length > 1) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(capacity);
        }
      }),
    );
  });

  it('fills a group before the next one', () => {
    const items = Array.from({ length: 5 }, () => ({ size: 9 }));
    expect(groupBySize(items, 22).map((group) => group.length)).toEqual([2, 2, 1]);
  });
});

describe('frameOf and readAnswers', () => {
  const document = fc.jsonValue().map((value) => new Document({ version: 1 }, JSON.stringify(value)));
  const error = fc.record({ code: fc.constant('conflict' as const), message: fc.string({ unit: 'binary' }) });

  it('return every answer, with its exact text', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(document, error)), (outcomes) => {
        const answers: Answer[] = outcomes.map((one, item) =>
          one instanceof Document ? { item, document: one } : { item, error: one },
        );
        const written = answers.map(writeAnswer);
        const frame = frameOf(written);
        expect(readAnswers(frame)).toEqual(answers);
        const sizes = written.reduce((sum, { size }) => sum + size + 1, 0);
        expect(frame.length).toBeLessThanOrEqual(sizes + 2);
      }),
    );
  });

  it('refuse a text of several lines', () => {
    expect(() => writeAnswer({ item: 0, document: new Document({}, '{\n}') })).toThrow('one line');
  });
});

describe('documentOf', () => {
  it.each([
    [{ id: 'a', version: 3, title: 'T' }, { id: 'a', version: 3 }, '{"id":"a","version":3,"title":"T"}'],
    [
      { resource: { id: 'a', version: 3 }, replayed: true },
      { id: 'a', version: 3, replayed: true },
      '{"id":"a","version":3}',
    ],
    [{ items: [1, 2], next_cursor: null }, { next_cursor: null }, '[1,2]'],
    [{ deleted: true }, {}, '{"deleted":true}'],
  ])('%j', (reply, head, text) => {
    expect(documentOf(reply)).toEqual(new Document(head, text));
  });
});
