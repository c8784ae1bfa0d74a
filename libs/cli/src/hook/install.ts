import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { readIfThere } from '../files.ts';
import { git } from '../git.ts';

const isExecutable = (file: string) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

const call = 'cardinal hook commit-msg';

/**
 * Writes the hook `commit-msg` of the repository, where git looks for it (`core.hooksPath`). Whatever its line comes to, the
 * commit goes on. A line that an earlier call wrote is replaced.
 * @param add put the line into a hook of somebody else, before all that it does, so that its verdict remains
 * @returns the hook's file
 * @throws CliError outside a repository, and where there is a hook that is not to be, or cannot be, added to
 */
export const installHook = async (
  { add, options }: { add: boolean; options: string[] },
  directory?: string,
): Promise<string> => {
  const root = await git(['rev-parse', '--show-toplevel'], directory);
  const file = resolve(root, await git(['rev-parse', '--git-path', 'hooks/commit-msg'], root));
  const line = [call, ...options, '"$1" || :'].join(' ');
  const there = await readIfThere(file);
  const [first = '', ...rest] = there?.split('\n') ?? ['#!/bin/sh', ''];
  const others = rest.filter((one) => !one.startsWith(call));
  if (others.length === rest.length && there !== undefined && !add) {
    throw new CliError(`there is a hook already: ${file}; --add puts a line into it: ${line}`);
  }
  if (!/^#!.*\b(ba|da|k|z)?sh\b/.test(first)) throw new CliError(`${file} is no shell script; have it run: ${line}`);
  if (there !== undefined && !(await isExecutable(file)))
    throw new CliError(`git passes over ${file}, which is not executable; chmod +x it, or remove it, first`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, [first, line, ...others].join('\n'), { mode: 0o755 });
  return file;
};
