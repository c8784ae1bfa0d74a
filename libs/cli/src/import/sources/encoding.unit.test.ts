import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { detectEncoding, encodingOf, textOf } from './encoding.ts';

/** A text in an encoding of one byte, by what its bytes are decoded to. */
const encoded = (text: string, encoding: string) => {
  const letters = Array.from({ length: 256 }, (_, byte) => new TextDecoder(encoding).decode(Uint8Array.of(byte)));
  return Buffer.from([...text].map((letter) => letters.indexOf(letter)));
};

const file = async (bytes: Buffer) => {
  const path = join(scratchFolder('encoding'), 'a.csv');
  await writeFile(path, bytes);
  return path;
};

const read = async (path: string) => {
  const encoding = await detectEncoding(path);
  let text = '';
  for await (const piece of textOf(path, encoding)) text += piece;
  return { encoding, text };
};

const german = 'Titel;Schlüssel\nGrößere Änderung – „für“ alle, 5 €;WEB-1\n';
const french = 'Résumé;Clé\nLa tâche est déjà prête, ça marche très bien où l’on veut;WEB-1\n';

it.each([
  ['UTF-8', Buffer.from(french), french],
  ['UTF-16 with a mark', Buffer.from(`\ufeff${french}`, 'utf16le'), french],
  ['UTF-16 without one', Buffer.from(german, 'utf16le'), german],
  ['UTF-16 of the other order', Buffer.from(`\ufeff${german}`, 'utf16le').swap16(), german],
  ['Windows-1252 of Germans', encoded(german, 'windows-1252'), german],
  ['Windows-1252 of the French', encoded(french, 'windows-1252'), french],
])('reads %s', async (_, bytes, text) => {
  expect((await read(await file(bytes))).text).toBe(text);
});

it.each([
  ['Polish', 'Tytuł;Klucz\nZażółć gęślą jaźń;WEB-1\n', 'windows-1250'],
  ['Czech', 'Název;Klíč\nPřečti si článek;WEB-1\n', 'windows-1250'],
  ['Hungarian', 'Cím;Kulcs\nHűtő és fűtő;WEB-1\n', 'windows-1250'],
  ['Russian', 'Тема;Ключ\nСделать;WEB-1\n', 'windows-1251'],
  ['Turkish', 'Başlık;Anahtar\nDeğiştir;WEB-1\n', 'windows-1254'],
  ['French of a Macintosh', 'Résumé;Clé\nDéjà prêt;WEB-1\n', 'macintosh'],
  ['what could be Czech or French', 'Name;Key\nMère Bèr;WEB-1\n', 'windows-1252'],
])('asks what it is where that is not certain: %s', async (_, text, encoding) => {
  const path = await file(encoded(text, encoding));
  await expect(detectEncoding(path)).rejects.toThrow('or name what it is written in, such as --encoding');
  let read = '';
  for await (const piece of textOf(path, encoding)) read += piece;
  expect(read).toBe(text);
});

it('has a byte order mark count more than what the user says', async () => {
  const marked: [Buffer, string][] = [
    [Buffer.from(`\ufeff${french}`), 'utf-8'],
    [Buffer.from(`\ufeff${french}`, 'utf16le'), 'utf-16le'],
    [Buffer.from(`\ufeff${french}`, 'utf16le').swap16(), 'utf-16be'],
  ];
  for (const [bytes, encoding] of marked) {
    const path = await file(bytes);
    expect(await encodingOf(path, 'windows-1252')).toBe(encoding);
    let text = '';
    for await (const piece of textOf(path, encoding)) text += piece;
    expect(text).toBe(french);
  }
  expect(await encodingOf(await file(encoded(german, 'windows-1252')), 'windows-1252')).toBe('windows-1252');
});

it('says of a file that it is not in the encoding that the user names', async () => {
  const path = await file(Buffer.from('Title,Key\nA,WEB-1\n'));
  await expect(encodingOf(path, 'utf-16le')).rejects.toThrow('a.csv is not UTF-16LE text; name another one');
  const broken = await file(Buffer.concat([Buffer.from('Title\nA', 'utf16le'), Buffer.from([0x41])]));
  const reading = async () => {
    for await (const _ of textOf(broken, await encodingOf(broken, 'utf-16le')));
  };
  await expect(reading()).rejects.toThrow('a.csv is not UTF-16LE text; name another encoding with --encoding');
});
