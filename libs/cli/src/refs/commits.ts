import { resolve } from 'node:path';
import { occurrencesIn } from '@cardinal/contracts';
import { readIfThere } from '../files.ts';
import { git, gitOutput } from '../git.ts';
import type { Candidate } from './resolve.ts';
import { splitAt } from './split.ts';

/** An identifier that commits name. */
export interface Named extends Candidate {
  /** Short hashes of these commits, in the order of the log. */
  commits: string[];
}

// A message has no NUL, so none can be taken for the next commit. Git makes UTF-8 of whatever encoding a commit says.
const format = '--format=%H%x00%h%x00%B';
const log = ['-c', 'log.showSignature=false', 'log', '-z', '--no-patch', '--encoding=UTF-8', format];

interface Commit {
  id: string;
  /** Its id in short. */
  hash: string;
  message: string;
}

/** The commits of a range such as `v1.0..HEAD`, newest first. @throws CliError */
async function* commitsOf(range: string, directory?: string): AsyncGenerator<Commit> {
  // What comes after the separators is no option, whatever it begins with, and no path.
  const parts: string[] = [];
  for await (const part of splitAt('\0', gitOutput([...log, '--end-of-options', range, '--'], directory))) {
    const [id, hash] = parts;
    if (id === undefined || hash === undefined) parts.push(part);
    else {
      yield { id, hash, message: part };
      parts.length = 0;
    }
  }
}

/** The commits whose parents a shallow clone lacks. @throws CliError outside a repository */
const lastOfShallow = async (directory = '.'): Promise<Set<string>> => {
  const file = resolve(directory, await git(['rev-parse', '--git-path', 'shallow'], directory));
  return new Set(((await readIfThere(file)) ?? '').split('\n'));
};

/**
 * What looks like an identifier in the messages of a range's commits, each once.
 * @returns them, and whether the range goes on before what a shallow clone has
 * @throws CliError where git does not know the range
 */
export const namedByCommits = async (
  range: string,
  anyCase: boolean,
  directory?: string,
): Promise<{ named: Named[]; isCut: boolean }> => {
  const last = await lastOfShallow(directory);
  const named = new Map<string, Named>();
  let isCut = false;
  for await (const { id, hash, message } of commitsOf(range, directory)) {
    isCut ||= last.has(id);
    for (const { identifier, prefix } of occurrencesIn(message, anyCase)) {
      const commits = named.get(identifier)?.commits ?? [];
      if (commits.at(-1) !== hash) commits.push(hash);
      named.set(identifier, { identifier, prefix, commits });
    }
  }
  return { named: [...named.values()], isCut };
};
