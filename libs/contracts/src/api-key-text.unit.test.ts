import fc from 'fast-check';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { hashOf, newKeyText, withoutKeys, workspaceOf } from './api-key-text.ts';

it('has one form, and names its workspace', () => {
  fc.assert(
    fc.property(fc.uuid(), (workspace) => {
      const text = newKeyText(workspace);
      // The published pattern (SECURITY.md).
      expect(text).toMatch(/^cardinal_[0-9A-Za-z]{71}$/);
      expect(withoutKeys(`/cards/${text}/${text}?`)).toBe('/cards/cardinal_[redacted]/cardinal_[redacted]?');
      expect(text).toHaveLength(80);
      expect(workspaceOf(text)).toBe(workspace);
      expect(workspaceOf(newKeyText(workspace))).toBe(workspace);
    }),
  );
  expect(newKeyText(v7())).not.toBe(newKeyText(v7()));
});

it('is none with a letter changed, left out or added', () => {
  const text = newKeyText(v7());
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom(...'09AZaz_-'), (at, letter) => {
      const [before, after] = [text.slice(0, at), text.slice(at + 1)];
      fc.pre(text[at] !== letter);
      for (const other of [before + letter + after, before + after, before + letter + text.slice(at)]) {
        expect(workspaceOf(other)).toBeUndefined();
      }
    }),
  );
  // More than 48 bytes, with a right sum, is none either.
  expect(workspaceOf(`cardinal_${'z'.repeat(71)}`)).toBeUndefined();
});

it('is kept as its SHA-256 alone', () => {
  expect(hashOf('cardinal_')).toBe('ztepuyqpQRGCCxFYmntQZZv3-ys4Q5NmlBczZHXpkuI');
});
