import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detectFormat, openTable, type Row, readRows, rowsBelow } from './table.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rows-'));
});
afterAll(() => rm(folder, { recursive: true }));

const read = async (name: string, content: string | Uint8Array) => {
  const file = join(folder, name);
  await writeFile(file, content);
  const rows: Row[] = [];
  for await (const row of readRows(file, await detectFormat(file))) rows.push(row);
  return rows;
};
const cellsOf = async (name: string, content: string | Uint8Array) =>
  (await read(name, content)).map(({ cells }) => cells);

describe('readRows', () => {
  it('takes quotes in a TSV for what they are', async () => {
    expect(await cellsOf('a.tsv', 'hash\tsubject\n1\t"foo" bar\n2\t"open\n3\tsay "hi"\n')).toEqual([
      ['hash', 'subject'],
      ['1', '"foo" bar'],
      ['2', '"open'],
      ['3', 'say "hi"'],
    ]);
  });

  it('reads CSV: quoted delimiters, quotes and line breaks, bare quotes', async () => {
    expect(await cellsOf('a.csv', 'a,b\n1,"x, ""y"""\n2,"two\nlines"\n3,5" disk\n')).toEqual([
      ['a', 'b'],
      ['1', 'x, "y"'],
      ['2', 'two\nlines'],
      ['3', '5" disk'],
    ]);
  });

  it('passes over a byte order mark, CRLF and empty lines, and counts lines as an editor does', async () => {
    expect(await read('b.csv', '\ufeffa,b\r\n1,"x\r\ny"\r\n\r\n2,z\n3,last')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1', 'x\r\ny'] },
      { line: 5, cells: ['2', 'z'] },
      { line: 6, cells: ['3', 'last'] },
    ]);
  });

  it('reads UTF-16 of either byte order', async () => {
    const text = Buffer.from('\ufefftitle;a\r\nÄpfel;1\r\n', 'utf16le');
    expect(await cellsOf('big.csv', text.swap16())).toEqual([
      ['title', 'a'],
      ['Äpfel', '1'],
    ]);
  });

  it("reads Excel's UTF-16 and semicolons", async () => {
    expect(await cellsOf('c.csv', Buffer.from('\ufeffa;b\r\nü,1;😀\r\n', 'utf16le'))).toEqual([
      ['a', 'b'],
      ['ü,1', '😀'],
    ]);
  });

  it('breaks no character and no line at the edge of a chunk', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => `${n}\t${'é😀'.repeat(n % 5)}x`);
    const cells = await cellsOf('d.tsv', `n\ttext\r\n${rows.join('\r\n')}\r\n`);
    expect(cells.slice(1).map((row) => row.join('\t'))).toEqual(rows);
  });

  it.each([
    ['a quote that is never closed', 'e.csv', 'a,b\n1,x\n2,"open\n3,y\n', 'after line 2: a quote is never closed'],
    ['text that is no UTF-8', 'f.csv', Buffer.from([97, 10, 0x81, 10]), 'f.csv is not UTF-8 text'],
  ])('refuses %s', async (_, name, content, message) => {
    await expect(read(name, content)).rejects.toThrow(message);
  });
});

describe('detectFormat', () => {
  it.each([
    ['x.tsv', 'a,b,c\n', '\t'],
    ['x.TAB', 'a\n', '\t'],
    ['x.csv', 'a;b;"c,d,e,f"\n', ';'],
    ['x.csv', 'a\tb\n', '\t'],
    ['x.txt', 'a,b\n1;2;3;4;5\n', ','],
    ['x.csv', 'only\n', ','],
  ])('finds the delimiter of %s with the header %j', async (name, content, delimiter) => {
    const file = join(folder, name);
    await writeFile(file, content);
    expect((await detectFormat(file)).delimiter).toBe(delimiter);
  });
});

describe('what a spreadsheet adds', () => {
  const write = async (content: string) => {
    const file = join(folder, `${crypto.randomUUID()}.csv`);
    await writeFile(file, content);
    return file;
  };

  it.each([
    ['a line that says the delimiter', 'sep=;\nSummary;Key, too\nA;1\n'],
    ['the same in quotes, with a byte order mark', '\ufeff"sep=;"\r\nSummary;Key, too\r\nA;1\r\n'],
    ['blank rows anywhere', ';\n\nSummary;"Key, too"\n;\n" "; \nA;1\n;\n;\n'],
  ])('is no row: %s', async (_, content) => {
    const file = await write(content);
    const table = await openTable(file, undefined);
    const rows: string[][] = [];
    for await (const { cells } of rowsBelow(table)) rows.push(cells);
    expect([table.header, ...rows]).toEqual([
      ['Summary', 'Key, too'],
      ['A', '1'],
    ]);
  });

  it('counts the lines of the file all the same', async () => {
    const table = await openTable(await write('sep=|\nSummary|Key\n|\nA|1\n'), undefined);
    for await (const { line } of rowsBelow(table)) expect(line).toBe(4);
  });
});
