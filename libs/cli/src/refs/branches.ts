import { occurrencesIn } from '@cardinal/contracts';
import { gitOutput } from '../git.ts';
import type { Candidate } from './resolve.ts';
import { splitAt } from './split.ts';

/** What looks like an identifier in the name of a branch. */
export interface NamedByBranch extends Candidate {
  branch: string;
  /** As it is spelled. */
  requested: string;
}

const format = '--format=%(if)%(symref)%(then)%(else)%(refname:short)%(end)';

/** The names of a repository's branches, those of its remotes too. @throws CliError outside of one */
const branchesOf = (directory?: string): AsyncIterable<Uint8Array> =>
  gitOutput(['for-each-ref', format, 'refs/heads', 'refs/remotes'], directory);

/**
 * What looks like an identifier in names of branches, a line each, in any letter case. Their words are joined by `-` and `_`, so
 * what follows one of these stands free, unlike in a text: `fix_WEB-1`, `ada/feature-web-1-login`. `WEB-1-2` names nothing there either.
 * @param names those of the repository where there are none
 */
export async function* namedByBranches(
  names: AsyncIterable<Uint8Array> | undefined,
  directory?: string,
): AsyncGenerator<NamedByBranch> {
  for await (const line of splitAt('\n', names ?? branchesOf(directory))) {
    const branch = line.trim();
    const words = branch.replace(/[-_](?=\p{L})/gu, ' ');
    for (const { requested, identifier, prefix } of occurrencesIn(words, true))
      yield { branch, requested, identifier, prefix };
  }
}
