import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs';

/** The size of a file in bytes; 0 where there is none yet. */
export const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** What was written to a log file after its first `from` bytes, at most the first megabyte of it. */
export const readLog = (file: string, from = 0): string => {
  const length = Math.min(sizeOf(file) - from, 1_000_000);
  if (length <= 0) return '';
  const buffer = Buffer.alloc(length);
  const opened = openSync(file, 'r');
  try {
    return buffer.toString('utf8', 0, readSync(opened, buffer, 0, length, from));
  } finally {
    closeSync(opened);
  }
};

/** The last `lines` lines of a log, for an error message. */
export const lastLines = (text: string, lines = 15) => text.trimEnd().split('\n').slice(-lines).join('\n');

/** Puts a log of more than `limit` bytes aside as `<file>.old`, over an earlier one. */
export const rotateLog = (file: string, limit = 10_000_000) => {
  if (sizeOf(file) > limit) renameSync(file, `${file}.old`);
};
