import { occurrencesIn } from '@cardinal/contracts';
import { gitOutput } from '../git.ts';
import type { Candidate } from './resolve.ts';
import { splitAt } from './split.ts';

/** An identifier that commits name. */
export interface Named extends Candidate {
  /** Short hashes of these commits, in the order of the log. */
  commits: string[];
}

// A message has no NUL, so none can be taken for the next commit. Git makes UTF-8 of whatever encoding a commit says.
const log = ['-c', 'log.showSignature=false', 'log', '-z', '--no-patch', '--encoding=UTF-8', '--format=%h%x00%B'];

/** The commits of a range such as `v1.0..HEAD`, newest first. @throws CliError */
async function* commitsOf(range: string, directory?: string): AsyncGenerator<{ hash: string; message: string }> {
  // What comes after the separators is no option, whatever it begins with, and no path.
  let hash: string | undefined;
  for await (const part of splitAt('\0', gitOutput([...log, '--end-of-options', range, '--'], directory))) {
    if (hash === undefined) {
      hash = part;
    } else {
      yield { hash, message: part };
      hash = undefined;
    }
  }
}

/**
 * What looks like an identifier in the messages of a range's commits, each once.
 * @throws CliError where git does not know the range
 */
export const namedByCommits = async (range: string, anyCase: boolean, directory?: string): Promise<Named[]> => {
  const named = new Map<string, Named>();
  for await (const { hash, message } of commitsOf(range, directory)) {
    for (const { identifier, prefix } of occurrencesIn(message, anyCase)) {
      const commits = named.get(identifier)?.commits ?? [];
      if (commits.at(-1) !== hash) commits.push(hash);
      named.set(identifier, { identifier, prefix, commits });
    }
  }
  return [...named.values()];
};
