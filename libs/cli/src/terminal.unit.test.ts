import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { guardTerminal } from './terminal.ts';

/** Every character of the planes that have any of these, and whether it is one that a terminal is not to get. */
const characters = Array.from({ length: 0xe0200 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const isUnseen = (one: string) => /[\p{Cf}\p{Zl}\p{Zp}]/u.test(one) || (one >= '\u007f' && one <= '\u009f');

const through = async (isTTY: boolean, written: string) => {
  const stream = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream & PassThrough;
  guardTerminal(stream);
  stream.write(written);
  stream.end();
  return text(stream);
};

describe('what is written to a terminal', () => {
  it('shows as escapes each character that nobody sees, and leaves all others', async () => {
    const unseen = characters.filter(isUnseen);
    expect(unseen.length).toBeGreaterThan(200);
    const shown = await through(true, unseen.join(''));
    expect(shown).toMatch(/^(\\u[0-9a-f]{4})+$/);
    expect(JSON.parse(`"${shown}"`)).toBe(unseen.join(''));
    const others = characters.filter((one) => !isUnseen(one)).join('');
    expect(await through(true, others)).toBe(others);
  });

  it('has the same value where it is JSON', async () => {
    const value = { title: 'rlo \u202e csi \u009b31m zero \u200b line \u2028 tag \u{e0041} é 漢' };
    const shown = await through(true, JSON.stringify(value));
    expect(shown).toContain(String.raw`rlo \u202e csi \u009b31m zero \u200b line \u2028 tag \udb40\udc41 é 漢`);
    expect(JSON.parse(shown)).toEqual(value);
  });

  it('is not touched where it goes into a pipe or a file', async () => {
    expect(await through(false, 'a\u202eb')).toBe('a\u202eb');
  });
});
