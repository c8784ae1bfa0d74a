import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { grouped, print } from '../print.ts';
import { connect, type Session } from '../session.ts';
import type { Row } from '../tables.ts';
import { namedByBranches } from './branches.ts';
import { namedByCommits } from './commits.ts';
import { type Candidate, reasonOf, resolveCandidates, type Target } from './resolve.ts';
import { referencesIn } from './text.ts';

interface Options {
  git?: string;
  branches?: true;
  anyCase: boolean;
  strict: boolean;
}

const shownMissing = 20;

/** Identifiers in a line, with how many are left out. */
const listed = (identifiers: Set<string>): string => {
  const shown = [...identifiers].slice(0, shownMissing).join(', ');
  return identifiers.size > shownMissing ? `${shown} and ${grouped(identifiers.size - shownMissing)} more` : shown;
};

/**
 * Prints where candidates lead, and which lead to no card: one that never existed is an error, one whose card is deleted
 * or hidden a warning, unless `strict`.
 */
const printResolved = async <Item extends Candidate>(
  session: Session,
  candidates: AsyncIterable<Item> | Iterable<Item>,
  { strict }: Options,
  row: (item: Omit<Item, 'prefix'> & Target) => Row,
): Promise<void> => {
  const [never, unseen] = [new Set<string>(), new Set<string>()];
  async function* resolved() {
    for await (const { prefix: _, ...item } of resolveCandidates(connect(session), candidates)) {
      if (item.card === null) (item.issued ? unseen : never).add(item.identifier);
      yield item;
    }
  }
  await print(session, resolved(), row);
  if (never.size > 0) console.error(`error: ${reasonOf({ issued: false })}: ${listed(never)}`);
  if (unseen.size > 0)
    console.error(`${strict ? 'error' : 'warning'}: ${reasonOf({ issued: true })}: ${listed(unseen)}`);
  if (never.size > 0 || (strict && unseen.size > 0)) session.exitCode = 1;
};

const today = (target: Target) => target.current_identifier ?? reasonOf(target);

/** A file, or standard input. @throws UsageError where that is a terminal */
const textOf = ({ directory }: Session, file: string): AsyncIterable<Uint8Array> => {
  if (file !== '-') return createReadStream(resolve(directory, file));
  if (process.stdin.isTTY) throw new UsageError('name a FILE, or pipe a text in, or say --git RANGE or --branches');
  return process.stdin;
};

const printText = async (session: Session, file: string, options: Options): Promise<void> => {
  await printResolved(session, referencesIn(textOf(session, file), options.anyCase), options, (one) => ({
    line: one.line,
    reference: one.requested,
    today: today(one),
    title: one.card?.title ?? '',
  }));
};

const printBranches = async (session: Session, file: string | undefined, options: Options): Promise<void> => {
  const names = file === undefined ? undefined : textOf(session, file);
  await printResolved(session, namedByBranches(names, session.directory), options, (one) => ({
    branch: one.branch,
    reference: one.requested,
    today: today(one),
    title: one.card?.title ?? '',
  }));
};

const shownCommits = 3;

const printCommits = async (session: Session, range: string, options: Options): Promise<void> => {
  const { named, isCut } = await namedByCommits(range, options.anyCase, session.directory);
  if (isCut) {
    console.error(
      'this clone is shallow, and commits of the range that it lacks are not looked at; "git fetch --unshallow" brings them',
    );
  }
  await printResolved(session, named, options, ({ identifier, commits, ...target }) => {
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
      'Finds the references to cards in a text, in the messages of commits, or in the names of branches, and says what they are called today. Exits with 1 where one never existed.',
    )
    .argument('[file]', 'the text; - is standard input (default: that)')
    .option('--git <range>', 'instead of a text the commits of a range such as v1.0..HEAD')
    .option(
      '--branches',
      'instead of a text the names of the branches of this repository, or of FILE, a line each; in any letter case, and behind - and _ too',
    )
    .option(...anyCase)
    .option('--strict', 'exit with 1 also where the card of one is deleted, or not for you', false)
    .action(async (file: string | undefined, options: Options) => {
      if (options.branches && options.git !== undefined) throw new UsageError('say --git or --branches, not both');
      if (options.branches) await printBranches(session, file, options);
      else if (options.git !== undefined) await printCommits(session, options.git, options);
      else await printText(session, file ?? '-', options);
    });
};
