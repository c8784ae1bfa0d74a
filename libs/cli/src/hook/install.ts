import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
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
 * The file of the hook, where git looks for it (`core.hooksPath`). In husky's folder, which its installation writes anew, each
 * hook runs the file of its name one folder above, with `sh -e`.
 */
const placeOf = async (root: string): Promise<{ file: string; isOfHusky: boolean }> => {
  const file = resolve(root, await git(['rev-parse', '--git-path', 'hooks/commit-msg'], root));
  const folder = dirname(file);
  const isOfHusky = basename(folder) === '_' && (await readIfThere(join(folder, 'h'))) !== undefined;
  return { file: isOfHusky ? join(dirname(folder), basename(file)) : file, isOfHusky };
};

/**
 * Writes the hook `commit-msg` of the repository. Whatever its line comes to, the commit goes on. A line that an earlier call
 * wrote is replaced.
 * @param add put the line into a hook of somebody else, before all that it does, so that its verdict remains
 * @returns the hook's file
 * @throws CliError outside a repository, and where there is a hook that is not to be, or cannot be, added to
 */
export const installHook = async (
  { add, options }: { add: boolean; options: string[] },
  directory?: string,
): Promise<string> => {
  const root = await git(['rev-parse', '--show-toplevel'], directory);
  const { file, isOfHusky } = await placeOf(root);
  const line = [call, ...options, '"$1" || :'].join(' ');
  const there = await readIfThere(file);
  const lines = there?.split('\n') ?? ['#!/bin/sh', ''];
  // Husky's files have none.
  const shebang = lines[0]?.startsWith('#!') ? lines.splice(0, 1) : [];
  const others = lines.filter((one) => !one.startsWith(call));
  if (others.length === lines.length && there !== undefined && !add) {
    throw new CliError(`there is a hook already: ${file}; --add puts a line into it: ${line}`);
  }
  const isShell = shebang[0] === undefined ? isOfHusky : /^#!.*\b(ba|da|k|z)?sh\b/.test(shebang[0]);
  if (!isShell) throw new CliError(`${file} is no shell script; have it run: ${line}`);
  if (there !== undefined && !isOfHusky && !(await isExecutable(file)))
    throw new CliError(`git passes over ${file}, which is not executable; chmod +x it, or remove it, first`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, [...shebang, line, ...others].join('\n'), { mode: 0o755 });
  return file;
};
