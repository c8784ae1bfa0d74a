import type { PostOptions } from '@cardinal/client/source';
import { z } from 'zod';
import { CliError } from '../../errors.ts';
import { openJournalFile } from '../journal-file.ts';
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

/**
 * Opens the journal of an import, or begins one.
 * @throws CliError where it is of another export or another workspace
 */
export const openSteps = async (file: string, about: z.infer<typeof head>): Promise<Steps> => {
  const { head: found, steps, append } = await openJournalFile(file, { head, step: entry }, about);
  if (found && (found.export !== about.export || found.workspace !== about.workspace)) {
    throw new CliError(`${file} is of another export or workspace; choose another folder with --run`);
  }
  const ids = new Map(steps);
  const id = (name: string) => {
    const known = ids.get(name);
    if (known === undefined) throw new Error(`the step "${name}" was not done`);
    return known;
  };
  const keyFor = (names: string[]) => keyOf('cardinal', about.export, ...names);
  const onceForAll: Steps['onceForAll'] = async (names, work) => {
    if (!names.every((name) => ids.has(name))) {
      // The first line comes before the first effect: a run after this one goes on, and asks for no empty workspace.
      await append([]);
      const made = await work({ idempotencyKey: keyFor(names) });
      const done = names.map((name, n): [string, string] => [name, made[n] ?? '']);
      await append(done);
      for (const [name, value] of done) ids.set(name, value);
    }
    return names.map(id);
  };
  return {
    isBegun: found !== undefined,
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
