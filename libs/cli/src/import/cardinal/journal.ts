import { appendFile, mkdir, readFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PostOptions } from '@cardinal/client/source';
import { z } from 'zod';
import { CliError } from '../../errors.ts';
import { keyOf } from '../plan/identity.ts';

const head = z.object({ export: z.string(), workspace: z.string() });
const entry = z.tuple([z.string(), z.string()]);

/**
 * What an import did, a line for each step in a file beside the export, with the id of what it made: an import that was
 * stopped goes on behind it. What was done without being noted is found by its idempotency key.
 */
export interface Steps {
  /** Whether a run before this one began to write. */
  isBegun: boolean;
  /** Does a step, once for all runs. @returns the id that its first run gave */
  once(name: string, work: (options: PostOptions) => Promise<string>): Promise<string>;
  /** Does several steps in one. @returns their ids */
  onceForAll(names: string[], work: (options: PostOptions) => Promise<string[]>): Promise<string[]>;
  isDone(name: string): boolean;
  /** The idempotency key of a step. */
  keyOf(name: string): string;
  /** The id that a step gave. @throws Error where it was not done, which would be a mistake of ours */
  id(name: string): string;
}

const contentOf = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw new CliError(`cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
};

const parse = <Value>(schema: z.ZodType<Value>, text: string, file: string): Value => {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new CliError(`${file} is no journal of an import of an export`, { cause: error });
  }
};

/**
 * Opens a journal, or begins one. The beginning of a line, which a process wrote as it was killed, is cut off.
 * @throws CliError where it is of another export or another workspace
 */
export const openSteps = async (file: string, about: z.infer<typeof head>): Promise<Steps> => {
  const content = await contentOf(file);
  const whole = content.slice(0, content.lastIndexOf('\n') + 1);
  if (whole !== content) await truncate(file, Buffer.byteLength(whole));
  const [first, ...lines] = whole.split('\n').slice(0, -1);
  if (first !== undefined) {
    const found = parse(head, first, file);
    if (found.export !== about.export || found.workspace !== about.workspace) {
      throw new CliError(`${file} is of another export or workspace; choose another folder with --run`);
    }
  }
  const ids = new Map(lines.map((text) => parse(entry, text, file)));
  let begun = first === undefined ? undefined : Promise.resolve();
  const begin = async () => {
    await mkdir(dirname(file), { recursive: true });
    await appendFile(file, `${JSON.stringify(about)}\n`);
  };
  const id = (name: string) => {
    const known = ids.get(name);
    if (known === undefined) throw new Error(`the step "${name}" was not done`);
    return known;
  };
  const keyFor = (names: string[]) => keyOf('cardinal', about.export, ...names);
  const onceForAll: Steps['onceForAll'] = async (names, work) => {
    if (!names.every((name) => ids.has(name))) {
      begun ??= begin();
      await begun;
      const made = await work({ idempotencyKey: keyFor(names) });
      const done = names.map((name, n): [string, string] => [name, made[n] ?? '']);
      await appendFile(file, done.map((one) => `${JSON.stringify(one)}\n`).join(''));
      for (const [name, value] of done) ids.set(name, value);
    }
    return names.map(id);
  };
  return {
    isBegun: first !== undefined,
    onceForAll,
    async once(name, work) {
      const [done = ''] = await onceForAll([name], async (options) => [await work(options)]);
      return done;
    },
    isDone: (name) => ids.has(name),
    keyOf: (name) => keyFor([name]),
    id,
  };
};
