import { open } from 'node:fs/promises';
import { extname } from 'node:path';

/** How a file is written: its text encoding and what stands between two fields. */
export interface Format {
  encoding: 'utf-8' | 'utf-16le';
  delimiter: ',' | ';' | '\t';
}

const headerBytes = 64 * 1024;
const tabEndings = new Set(['.tsv', '.tab']);
const delimiters = [',', ';', '\t'] as const;

/** The delimiter that occurs most in a header; a comma where none does. */
const delimiterOf = (header: string): Format['delimiter'] => {
  const bare = header.replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => bare.split(delimiter).length;
  return delimiters.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
};

/**
 * Finds out how a file is written: the encoding by its byte order mark (Excel writes UTF-16), the delimiter by the
 * file's ending where that says tabs, else by the header.
 * @throws the system's error where the file cannot be read
 */
export const detectFormat = async (file: string): Promise<Format> => {
  const handle = await open(file);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    const head = buffer.subarray(0, bytesRead);
    const encoding = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : 'utf-8';
    const [header = ''] = new TextDecoder(encoding).decode(head).split(/\r\n|\n|\r/, 1);
    return { encoding, delimiter: tabEndings.has(extname(file).toLowerCase()) ? '\t' : delimiterOf(header) };
  } finally {
    await handle.close();
  }
};
