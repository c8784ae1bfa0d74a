import { describe, expect, it } from 'vitest';
import { readMessage, referencesInMessage, rewriteMessage } from './message.ts';

const read = (text: string) => readMessage(Buffer.from(text));
const found = (text: string, comment = '#') =>
  referencesInMessage(read(text), comment, false).map(({ requested }) => requested);

const message = `Mend OLD-1 and “OLD-2” 🙂

Since OLD-1.
# On branch OLD-3
`;
const behindScissors = `${message}# ------------------------ >8 ------------------------
diff OLD-4
`;

describe('references of a commit message', () => {
  it('are those of the part that git keeps', () => {
    expect(found(behindScissors)).toEqual(['OLD-1', 'OLD-2', 'OLD-1']);
    expect(found('One OLD-1\n; OLD-2\n# OLD-3', ';')).toEqual(['OLD-1', 'OLD-3']);
    expect(found('One OLD-1\n; OLD-2\n% OLD-3', 'auto')).toEqual(['OLD-1']);
  });

  it('are not those of the first line of a commit that mends another', () => {
    expect(found('fixup! Mend OLD-1\n\nOLD-2')).toEqual(['OLD-2']);
    expect(found('A fixup! of OLD-1')).toEqual(['OLD-1']);
  });

  it('are written anew at their places, and nothing else is', () => {
    const parsed = read(behindScissors);
    const leading = referencesInMessage(parsed, '#', false).map((one) => {
      const current_identifier = one.identifier === 'OLD-1' ? 'NEW-1000' : one.identifier;
      return { ...one, card: null, is_alias: one.identifier === 'OLD-1', current_identifier, issued: true };
    });
    expect(rewriteMessage(parsed, leading)).toBe(behindScissors.replaceAll('OLD-1', 'NEW-1000'));
  });

  it('are found in other encodings, whose bytes stay', () => {
    const bytes = Buffer.from('Größe: OLD-1', 'latin1');
    const parsed = readMessage(bytes);
    expect(referencesInMessage(parsed, '#', false)).toHaveLength(1);
    expect(Buffer.from(parsed.text, parsed.encoding)).toEqual(bytes);
  });
});
