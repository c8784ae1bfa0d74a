import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutToSize, marked, maxCharacters } from './answers.ts';
import { maxLineBytes } from './lines.ts';

const item = fc.record({ title: fc.string({ maxLength: 300, unit: 'binary' }), text: fc.string({ maxLength: 3_000 }) });

it('fits for any lists, keeps their order, and says what it left out', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 60 }), fc.array(item, { maxLength: 60 }), (data, comments) => {
      const { answer, left } = cutToSize({ data, comments, notes: [] }, 6_000);
      expect(JSON.stringify(answer).length).toBeLessThanOrEqual(6_000);
      for (const [name, whole] of Object.entries({ data, comments })) {
        const kept = answer[name] as typeof data;
        expect(kept.length + (left[name] ?? 0)).toBe(whole.length);
        kept.forEach(({ text }, at) => {
          expect(whole[at]?.text.startsWith(text.split(' … [cut')[0] ?? '')).toBe(true);
        });
      }
      if (Object.keys(left).length > 0) expect(answer.notes.join()).toContain('left out');
    }),
  );
});

it('fits a line in every script, and where each character is escaped twice', () => {
  for (const text of ['界'.repeat(20_000), '"\\\n'.repeat(6_000), '😀'.repeat(10_000), '\u0001'.repeat(20_000)]) {
    const { answer } = cutToSize({ data: { description: text }, notes: [] });
    const line = {
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: JSON.stringify(marked(answer)) }] },
    };
    expect(Buffer.byteLength(JSON.stringify(line))).toBeLessThan(maxLineBytes);
    const many = Array.from({ length: 100 }, () => ({ description: text }));
    const { answer: list } = cutToSize({ data: many, notes: [] });
    expect(Buffer.byteLength(JSON.stringify(JSON.stringify(marked(list))))).toBeLessThan(maxLineBytes - 1_000);
    expect((list.data as unknown[]).length).toBeGreaterThan(20);
  }
});

it('leaves what fits as it is', () => {
  const answer = { data: { description: 'x'.repeat(20_000) }, notes: ['known'] };
  expect(cutToSize(answer)).toEqual({ answer, left: {} });
});

it('cuts texts no shorter than it must, and not between the halves of a character', () => {
  const texts = ['😀'.repeat(10_000), 'short'];
  const { answer } = cutToSize({ data: texts.map((text) => ({ text })), notes: [] }, 10_000);
  const [long, short] = answer.data as { text: string }[];
  expect(long?.text).toBe(`${'😀'.repeat(2_000)} … [cut: 4000 of 20000 characters]`);
  expect(short?.text).toBe('short');
  expect(long?.text.isWellFormed()).toBe(true);
  expect(maxCharacters).toBe(40_000);
});
