import { join } from 'node:path';
import type { CardinalClient } from '@cardinal/client/source';
import { CliError, stopped } from '../errors.ts';
import type { Session } from '../session.ts';
import { type ApplyContext, makeCards, type Outcome } from './apply/cards.ts';
import { openJournal } from './apply/journal.ts';
import { makeLinks } from './apply/links.ts';
import { openWorkstreams } from './apply/open.ts';
import { undoRun } from './apply/undo.ts';
import { findTarget, findWorkstreams, refusedWorkstreams, takenIdentifiers } from './apply/workspace.ts';
import { connectPatiently } from './connect.ts';
import type { Source } from './issue.ts';
import type { Options } from './options.ts';
import { plannedCards } from './plan/cards.ts';
import { cardsOf, describePlan } from './plan/describe.ts';
import { makePlan, type Plan } from './plan/plan.ts';
import { describeOutcome, describeUndone, grouped, showProgress } from './report.ts';
import { openSource } from './sources/open.ts';

const journalOf = (options: Options, workspace: string) =>
  openJournal(join(options.folder, 'journal.jsonl'), workspace);

const openIfAsked = async (client: CardinalClient, plan: Plan, options: Options, outcome: Outcome) => {
  if (!options.open) return;
  if (outcome.refused.length > 0) throw new CliError('cards were refused, so no workstream was opened');
  for (const line of await openWorkstreams(client, plan)) console.log(line);
};

const apply = async (source: Source, plan: Plan, options: Options, session: Session): Promise<number> => {
  const started = performance.now();
  const { client, workspace, scopes } = await connectPatiently(session);
  if (plan.workstreams.length > 0 && !scopes.includes('kanban:admin')) {
    throw new CliError('the token lacks a scope; identifiers come along with kanban:admin only');
  }
  const found = await findWorkstreams(client);
  const journal = await journalOf(options, workspace);
  const inTheWay = journal.cards.size === 0 ? refusedWorkstreams(plan, found) : [];
  if (inTheWay.length > 0) throw new CliError(`${inTheWay.join('; ')}; nothing was written`);
  const board = options.board ?? source.name;
  const target = await findTarget(client, journal, plan, board);
  const outcome: Outcome = { created: 0, alreadyThere: 0, refused: [] };
  const context: ApplyContext = { client, journal, target, workspace, outcome, numbered: Promise.resolve() };
  const isStopped = session.watchSignals();
  const bounds = { concurrency: options.concurrency, isStopped };
  const all = cardsOf(plan, options);
  const done = () => outcome.created + outcome.alreadyThere + outcome.refused.length;
  const stopProgress = showProgress(all, done);
  try {
    await makeCards(plannedCards(source, plan.survey, plan.mapping, options), context, bounds);
  } finally {
    stopProgress();
    console.log(describeOutcome(outcome, board, performance.now() - started).join('\n'));
    if (done() < all) console.log(`${grouped(all - done())} cards are left; the same command goes on with them`);
  }
  if (isStopped()) return stopped;
  const links = await makeLinks(plan.dependencies, context, bounds);
  console.log(`${grouped(links.made)} dependencies`);
  for (const line of links.refused) console.log(`  not made: ${line}`);
  if (links.missing.length > 0) {
    console.log(
      `  ${grouped(links.missing.length)} lead to cards that are not there: ${links.missing.slice(0, 5).join(', ')}`,
    );
  }
  if (isStopped()) return stopped;
  await openIfAsked(client, plan, options, outcome);
  return outcome.refused.length > 0 ? 1 : 0;
};

const undo = async (options: Options, session: Session): Promise<number> => {
  const { client, workspace } = await connectPatiently(session);
  const journal = await journalOf(options, workspace);
  if (journal.cards.size === 0 && journal.made.length === 0) {
    throw new CliError(`${journal.file} knows of nothing that was made; choose the run's folder with --run`);
  }
  const isStopped = session.watchSignals();
  const undone = await undoRun(client, journal, { concurrency: options.concurrency, isStopped });
  console.log(describeUndone(undone).join('\n'));
  return isStopped() ? stopped : 0;
};

/** What the workspace says of a plan. @returns the exit code */
const compare = async (plan: Plan, options: Options, session: Session): Promise<number> => {
  if (!session.access().token) {
    console.log('no token: the workspace was not looked at\nnothing was written; --apply does it');
    return 0;
  }
  const { client, workspace } = await connectPatiently(session);
  const found = await findWorkstreams(client);
  const { cards } = await journalOf(options, workspace);
  const inTheWay = cards.size === 0 ? refusedWorkstreams(plan, found) : [];
  for (const line of inTheWay) console.log(`to decide: ${line}`);
  if (inTheWay.length > 0) return 1;
  if (cards.size > 0) console.log(`${grouped(cards.size)} of the cards are there already`);
  else {
    const { count, examples } = await takenIdentifiers(client, plan, found);
    if (count > 0)
      console.log(
        `collisions: the workspace has ${grouped(count)} of the identifiers (${examples.join(', ')}${count > examples.length ? ', …' : ''}); rows that another import brought are found again, others are refused`,
      );
  }
  console.log('nothing was written; --apply does it');
  return 0;
};

/**
 * Plans an import from a tracker, applies it or undoes it, and says on the console how it went.
 * @returns the exit code: 0 where all is well, 1 where something is to be decided or was refused, 130 when stopped
 * @throws CliError, CardinalError
 */
export const importIssues = async (options: Options, session: Session): Promise<number> => {
  if (options.undo) return undo(options, session);
  const source = await openSource(options);
  try {
    const plan = await makePlan(source, options);
    const isUndecided = plan.undecided.length > 0;
    if (!options.apply || isUndecided) {
      console.log(describePlan(plan, options, source.notes).join('\n'));
      return isUndecided ? 1 : await compare(plan, options, session);
    }
    return await apply(source, plan, options, session);
  } finally {
    await source.close();
  }
};
