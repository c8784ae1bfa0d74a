import { appendFile, mkdir, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { CliError } from '../errors.ts';
import { readIfThere } from '../files.ts';

/** The steps of a run: a file with a line of JSON for each step, below a first line that identifies the import. */
export interface JournalFile<Head, Step> {
  /** The first line; undefined if no run has written one. */
  head: Head | undefined;
  steps: Step[];
  /** Appends steps in the order of the calls; writes the first line before the first step. */
  append(steps: readonly Step[]): Promise<void>;
}

const parse = <Value>(schema: z.ZodType<Value>, text: string, place: string): Value => {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new CliError(`${place} is no line of a journal; choose another folder with --run`, { cause: error });
  }
};

/**
 * Opens a journal, or begins one; the file is created with the first step. An incomplete last line, of a process that was
 * killed, is cut off.
 * @param first the first line of a new file
 * @throws CliError if the file is no journal
 */
export const openJournalFile = async <Head, Step>(
  file: string,
  schemas: { head: z.ZodType<Head>; step: z.ZodType<Step> },
  first: Head,
): Promise<JournalFile<Head, Step>> => {
  const content = (await readIfThere(file)) ?? '';
  const whole = content.slice(0, content.lastIndexOf('\n') + 1);
  if (whole !== content) await truncate(file, Buffer.byteLength(whole));
  const [begun, ...lines] = whole.split('\n').slice(0, -1);
  const head = begun === undefined ? undefined : parse(schemas.head, begun, `${file}:1`);
  let isBegun = head !== undefined;
  const write = async (steps: readonly Step[]) => {
    if (!isBegun) await mkdir(dirname(file), { recursive: true });
    const lines = isBegun ? steps : [first, ...steps];
    isBegun = true;
    if (lines.length > 0) await appendFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };
  // Nothing is written after a failure: it would follow half a line.
  let last = Promise.resolve();
  return {
    head,
    steps: lines.map((text, n) => parse(schemas.step, text, `${file}:${n + 2}`)),
    append: (steps) => {
      last = last.then(() => write(steps));
      return last;
    },
  };
};
