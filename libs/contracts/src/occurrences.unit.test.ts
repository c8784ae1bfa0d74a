import { slowTexts } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { occurrencesIn } from './occurrences.ts';

const spelled = (text: string, anyCase = false) => occurrencesIn(text, anyCase).map(({ requested }) => requested);

describe('a free-standing identifier in a text', () => {
  it.each([
    ['PAY-1', ['PAY-1']],
    ['Fix PAY-1, PAY-2 (see [WEB-30]) and "A1-9".', ['PAY-1', 'PAY-2', 'WEB-30', 'A1-9']],
    ['https://example.org/PAY-1?x=WEB-2#OPS-3', ['PAY-1', 'WEB-2', 'OPS-3']],
    ['PAY-1\nPAY-1\tPAY-1', ['PAY-1', 'PAY-1', 'PAY-1']],
    ['PAY-1.5 PAY-1… 😀PAY-1😀', ['PAY-1', 'PAY-1', 'PAY-1']],
    ['ABCDEFGHIJ-1 ABCDEFGHIJK-1', ['ABCDEFGHIJ-1']],
    ['PAY-123456789012345 PAY-1234567890123456', ['PAY-123456789012345']],
    ['修复WEB-1的问题 ひーWEB-2ー 카WEB-3를 ไทยWEB-4ไทย', ['WEB-1', 'WEB-2', 'WEB-3', 'WEB-4']],
    ['feature/WEB-1-fix-login WEB-2_again PAY-1- PAY-3_', ['WEB-1', 'WEB-2', 'PAY-1', 'PAY-3']],
    ['', []],
  ])('%j', (text, found) => {
    expect(spelled(text)).toEqual(found);
  });

  it.each([
    ...['xPAY-1', 'PAY-1x', '1PAY-1', '_PAY-1', '-PAY-1', 'PAY-1-2', 'PAY-1-٣', 'ÄPAY-1', 'PAY-1é', 'яPAY-1'],
    ...['feature-PAY-1', 'PAY-1PAY-2', 'PAY-0', 'PAY-01', 'P-1', 'PAY–1', 'PAY-', '-1', 'PAY-1\u0301', 'PAY-1٣'],
  ])('is not in %j', (text) => {
    expect(spelled(text)).toEqual([]);
  });

  it('matches other letter cases only on request', () => {
    expect(spelled('pay-1 Pay-2 PAY-3')).toEqual(['PAY-3']);
    expect(occurrencesIn('pay-1 Pay-2', true)).toMatchObject([
      { requested: 'pay-1', identifier: 'PAY-1', prefix: 'PAY' },
      { requested: 'Pay-2', identifier: 'PAY-2', prefix: 'PAY' },
    ]);
  });

  it('has positions in code points', () => {
    const text = 'Ünï 😀😀 PAY-1 👩‍💻 WEB-20';
    for (const { requested, start, end } of occurrencesIn(text, false)) {
      expect(Array.from(text).slice(start, end).join('')).toBe(requested);
    }
    expect(occurrencesIn(text, false)).toHaveLength(2);
  });
});

it('takes time linear in the length of the text', () => {
  const starts = ['', 'A', 'PAY', 'PAY-', 'PAY-1', ' PAY-1 ', 'ABCDEFGHIJ', 'PAY-123456789012345'];
  expect(slowTexts((text) => occurrencesIn(text, true), starts)).toEqual([]);
  const units = ['AB-1', ' AB-1', 'AB-', 'A', 'ABCDEFGHIJ ', ' ABCDEFGHIJ-1234567890123456', '-1', '😀', 'A-A'];
  for (const unit of units) {
    expect(slowTexts((text) => occurrencesIn(unit.repeat(text.length / unit.length), false), [''])).toEqual([]);
  }
});
