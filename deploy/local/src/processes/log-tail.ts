import { readFileSync, statSync } from 'node:fs';

/** The size of a file in bytes; 0 where there is none yet. */
export const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** What was written to a log file after its first `from` bytes. */
export const readLog = (file: string, from = 0) =>
  sizeOf(file) > from ? readFileSync(file).subarray(from).toString('utf8') : '';

/** The last `lines` lines of a log, for an error message. */
export const lastLines = (text: string, lines = 15) => text.trimEnd().split('\n').slice(-lines).join('\n');
