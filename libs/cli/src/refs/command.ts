import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { print } from '../print.ts';
import { connect, type Session } from '../session.ts';
import { namedByBranches } from './branches.ts';
import { namedByCommits } from './commits.ts';
import { type Candidate, resolveCandidates, type Target } from './resolve.ts';
import { referencesIn } from './text.ts';

interface Options {
  git?: string;
  branches?: true;
  anyCase: boolean;
}

/** Where candidates lead; the exit code says whether any of them leads nowhere. */
async function* resolved<Item extends Candidate>(
  session: Session,
  candidates: AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<Omit<Item, 'prefix'> & Target> {
  for await (const { prefix, ...item } of resolveCandidates(connect(session), candidates)) {
    if (item.card === null) session.exitCode = 1;
    yield item;
  }
}

const today = ({ current_identifier }: Target) => current_identifier ?? 'leads nowhere';

/** A file, or standard input. @throws UsageError where that is a terminal */
const textOf = ({ directory }: Session, file: string): AsyncIterable<Uint8Array> => {
  if (file !== '-') return createReadStream(resolve(directory, file));
  if (process.stdin.isTTY) throw new UsageError('name a FILE, or pipe a text in, or say --git RANGE or --branches');
  return process.stdin;
};

const printText = async (session: Session, file: string, { anyCase }: Options): Promise<void> => {
  await print(session, resolved(session, referencesIn(textOf(session, file), anyCase)), (one) => ({
    line: one.line,
    reference: one.requested,
    today: today(one),
    title: one.card?.title ?? '',
  }));
};

const printBranches = async (session: Session, file: string | undefined): Promise<void> => {
  const names = file === undefined ? undefined : textOf(session, file);
  await print(session, resolved(session, namedByBranches(names, session.directory)), (one) => ({
    branch: one.branch,
    reference: one.requested,
    today: today(one),
    title: one.card?.title ?? '',
  }));
};

const shownCommits = 3;

const printCommits = async (session: Session, range: string, { anyCase }: Options): Promise<void> => {
  const { named, isCut } = await namedByCommits(range, anyCase, session.directory);
  if (isCut) {
    console.error(
      'this clone is shallow, and commits of the range that it lacks are not looked at; "git fetch --unshallow" brings them',
    );
  }
  await print(session, resolved(session, named), ({ identifier, commits, ...target }) => {
    const shown = commits.slice(0, shownCommits).join(' ');
    return {
      identifier,
      today: today(target),
      commits: commits.length,
      hashes: commits.length > shownCommits ? `${shown} …` : shown,
      title: target.card?.title ?? '',
    };
  });
};

/** An option of whatever looks for references. */
export const anyCase = ['--any-case', 'count references in any letter case, not in capitals alone', false] as const;

/** `cardinal refs` */
export const addRefs = (program: Command, session: Session): void => {
  program
    .command('refs')
    .description(
      'Finds the references to cards in a text, in the messages of commits, or in the names of branches, and says what they are called today. Exits with 1 where one leads nowhere.',
    )
    .argument('[file]', 'the text; - is standard input (default: that)')
    .option('--git <range>', 'instead of a text the commits of a range such as v1.0..HEAD')
    .option(
      '--branches',
      'instead of a text the names of the branches of this repository, or of FILE, a line each; in any letter case, and behind - and _ too',
    )
    .option(...anyCase)
    .action(async (file: string | undefined, options: Options) => {
      if (options.branches && options.git !== undefined) throw new UsageError('say --git or --branches, not both');
      if (options.branches) await printBranches(session, file);
      else if (options.git !== undefined) await printCommits(session, options.git, options);
      else await printText(session, file ?? '-', options);
    });
};
