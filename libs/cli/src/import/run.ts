import { basename, join, relative } from 'node:path';
import type { CardinalClient } from '@cardinal/client/source';
import { mainPrefix } from '@cardinal/contracts';
import { confirm } from '../confirm.ts';
import { CliError, UsageError } from '../errors.ts';
import { openPeople } from '../names/people.ts';
import { several } from '../print.ts';
import type { Session } from '../session.ts';
import { makeCards } from './apply/cards.ts';
import type { ApplyContext } from './apply/context.ts';
import { correctionOf, type Ids, wantedBy } from './apply/facets.ts';
import { findMissing, type LinkOutcome, makeLinks } from './apply/links.ts';
import { type Met, meetWorkspace } from './apply/meet.ts';
import { openWorkstreams } from './apply/open.ts';
import { nameOf, newOutcome, noteCorrection, noteExtras, type Outcome, placeOf } from './apply/outcome.ts';
import { costOfUndo, type Undone, undoRun } from './apply/undo.ts';
import { leftAs } from './apply/update.ts';
import {
  checkTarget,
  claimMain,
  findIds,
  findTarget,
  findWorkstreams,
  hasMain,
  type Target,
} from './apply/workspace.ts';
import { connectPatiently } from './connect.ts';
import type { Source } from './issue.ts';
import { type Journal, openJournal } from './journal.ts';
import type { Options } from './options.ts';
import { plannedCards } from './plan/cards.ts';
import { cardsOf, describePlan } from './plan/describe.ts';
import { makePlan, type Plan } from './plan/plan.ts';
import {
  describeCost,
  describeForeseen,
  describeLinks,
  describeMissing,
  describeOutcome,
  describeUndone,
  describeWithoutRow,
  showProgress,
} from './report.ts';
import { openSource } from './sources/open.ts';

const journalOf = (options: Options, workspace: string) =>
  openJournal(join(options.folder, 'journal.jsonl'), workspace);

const openIfAsked = async (client: CardinalClient, plan: Plan, options: Options, outcome: Outcome) => {
  if (!options.open) return;
  if (outcome.refused.length > 0) throw new CliError('cards were refused, so no workstream was opened');
  for (const line of await openWorkstreams(client, plan)) console.log(line);
};

/** An import with the state of its workspace. */
interface Run {
  client: CardinalClient;
  journal: Journal;
  met: Met;
  board: string;
  /** Makes the default workstream adopt, if that is planned. @returns the state of the workspace then */
  begin: () => Promise<Met>;
}

/** Reads the workspace and checks that the import is possible there. Writes nothing. @throws CliError */
const meet = async (source: Source, plan: Plan, options: Options, session: Session): Promise<Run> => {
  const { client, workspace, scopes } = await connectPatiently(session);
  const isAdmin = scopes.includes('kanban:admin');
  // Without it the default workstream gives numbers to rows without a key.
  const comesAlong = plan.workstreams.some(
    ({ prefix, current, former }) => prefix !== mainPrefix || current + former > 0,
  );
  if (comesAlong && !isAdmin) {
    throw new CliError('the token lacks the scope kanban:admin, which an import with identifiers needs');
  }
  const { board } = plan;
  const journal = await journalOf(options, workspace);
  await checkTarget(client, journal, plan, board);
  const look = (mayClaim: boolean, isOurs = hasMain(journal)) =>
    meetWorkspace(client, {
      journal,
      plan,
      workspace,
      mayClaim,
      isOurs,
      rows: plannedCards(source, plan.survey, plan.mapping, options),
    });
  const met = await look(isAdmin);
  const begin = async () => {
    const isBegun = journal.asked.size + journal.cards.size > 0;
    const isNeeded = isAdmin && plan.workstreams.some(({ prefix }) => prefix === mainPrefix);
    if (!met.claimsMain && (isBegun || !isNeeded)) return met;
    const isOurs = await claimMain(client, journal, [board, ...options.files.map((file) => basename(file))]);
    // If a card was created meanwhile, the default workstream gives numbers to the rows itself.
    return met.claimsMain || isOurs ? look(false, isOurs) : met;
  };
  return { client, journal, board, met, begin };
};

/** The expected outcome of each row, before anything is written. */
const foresee = async (
  source: Source,
  plan: Plan,
  options: Options,
  run: Run,
): Promise<Outcome & { withoutRow: string[] }> => {
  const { client, journal, met, board } = run;
  const outcome = newOutcome();
  if (met.isClear) return { ...outcome, created: cardsOf(plan, options), withoutRow: [] };
  const ids = await findIds(client, journal, board);
  const names = new Set<string>();
  for await (const row of plannedCards(source, plan.survey, plan.mapping, options, met.numbering)) {
    names.add(row.name);
    const verdict = await met.judge(row);
    if (verdict.state === 'new') outcome.created += 1;
    else if (verdict.state === 'refused') outcome.refused.push({ place: placeOf(row), problem: verdict.problem });
    else {
      outcome.alreadyThere += 1;
      const card = await met.cardOf(verdict.id, row.prefix);
      if (!card) continue;
      const entry = journal.cards.get(row.name);
      const left = leftAs(entry, card);
      noteExtras(outcome, card, row, entry);
      noteCorrection(outcome, card, correctionOf(left, card, wantedBy(row, ids, entry, board)), left !== undefined);
    }
  }
  const withoutRow = (await met.withoutRow(names)).map(nameOf);
  return { ...outcome, withoutRow };
};

/** The plan with ids in the place of e-mail addresses. @throws CliError where nobody has one, with its place in the mapping */
const withIdsOfPeople = async (plan: Plan, { client }: Run): Promise<Plan> => {
  const { idOf } = openPeople(client);
  const found = Object.entries(plan.mapping.people).map(async ([name, user]) => {
    try {
      return [name, user && (await idOf(user))];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new CliError(`${relative(process.cwd(), plan.mappingFile)}, people, "${name}": ${error.message}`);
    }
  });
  return { ...plan, mapping: { ...plan.mapping, people: Object.fromEntries(await Promise.all(found)) } };
};

const apply = async (source: Source, planned: Plan, options: Options, session: Session): Promise<number> => {
  const started = performance.now();
  const run = await meet(source, planned, options, session);
  const plan = await withIdsOfPeople(planned, run);
  const { client, journal, board } = run;
  const foreseen = await foresee(source, plan, options, run);
  const isNew = journal.cards.size === 0;
  if (foreseen.refused.length > 0 && isNew && !options.leaveOutRefused) {
    console.log(describeOutcome({ ...foreseen, created: 0 }, board, performance.now() - started).join('\n'));
    console.log('nothing was written; to import the other rows, pass --leave-out-refused');
    return 1;
  }
  const outcome = newOutcome();
  const met = await run.begin();
  let target: Promise<Target> | undefined;
  const targetOf = () => {
    target ??= findTarget(client, journal, plan, board);
    return target;
  };
  const bounds = { concurrency: options.concurrency, isStopped: session.watchSignals() };
  let ids: Promise<Ids> | undefined;
  const idsOf = () => {
    ids ??= findIds(client, journal, board);
    return ids;
  };
  const made = { client, journal, met, target: targetOf, ids: idsOf, board, outcome, numbered: Promise.resolve() };
  const context: ApplyContext = { ...bounds, ...made };
  const all = cardsOf(plan, options);
  const done = () => outcome.created + outcome.alreadyThere + outcome.refused.length;
  const making = makeCards(plannedCards(source, plan.survey, plan.mapping, options, met.numbering), context);
  try {
    await showProgress(making, { what: 'card', done, all });
  } finally {
    console.log(describeOutcome(outcome, board, performance.now() - started).join('\n'));
    for (const line of describeWithoutRow(foreseen.withoutRow)) console.log(line);
    if (done() < all)
      console.log(`${several(all - done(), 'card is', 'cards are')} left; run the same command again to continue`);
  }
  const links: LinkOutcome = { made: 0, missing: [], refused: [] };
  try {
    await makeLinks(plan.dependencies, context, (key) => journal.cards.get(key)?.id, links);
  } finally {
    console.log(describeLinks(links).join('\n'));
  }
  await openIfAsked(client, plan, options, outcome);
  if ((await findWorkstreams(client)).get(mainPrefix)?.adopting) {
    console.log(`${mainPrefix}, the default workstream, accepts no other cards until you run --apply --open`);
  }
  return outcome.refused.length > 0 ? 1 : 0;
};

const undo = async (options: Options, session: Session): Promise<number> => {
  const { client, workspace } = await connectPatiently(session);
  const journal = await journalOf(options, workspace);
  if (journal.cards.size === 0 && journal.made.length === 0) {
    throw new CliError(`${journal.file} lists nothing that the import created; choose the run's folder with --run`);
  }
  const cost = await costOfUndo(client, journal);
  for (const line of describeCost(cost)) console.log(line);
  if (cost.identifiers.length > 0 && !options.yes && !(await confirm('Delete them? [y/N] '))) {
    console.log('nothing was deleted; to delete them, pass --undo --yes');
    return 1;
  }
  const undone: Undone = { cards: 0, gone: 0, others: [], left: [] };
  const bounds = { concurrency: options.concurrency, isStopped: session.watchSignals() };
  try {
    await undoRun(client, journal, undone, bounds);
  } finally {
    console.log(describeUndone(undone).join('\n'));
  }
  return 0;
};

/** Describes what happens to rows without a key if no prefix was chosen. */
const describeMain = ({ workstreams }: Plan, { numbering }: Met): string[] => {
  const { numbered = 0, current = 0, former = 0 } = workstreams.find(({ prefix }) => prefix === mainPrefix) ?? {};
  if (numbered + current + former === 0) return [];
  if (numbering.isOpen(mainPrefix)) {
    const left = `dates of creation of ${several(numbered, 'card')} are left out: the workspace has or had cards. So ${mainPrefix} numbers these cards itself, and they are created today`;
    return numbered > 0 ? [left] : [];
  }
  return [
    `${mainPrefix}, the default workstream, accepts these cards with their dates, and no others until you run --apply --open`,
  ];
};

/** Compares a plan with the workspace, and prints the result. @returns the exit code */
const compare = async (source: Source, planned: Plan, options: Options, session: Session): Promise<number> => {
  if (!session.access().token) {
    for (const line of describeMissing(await findMissing(undefined, planned))) console.log(line);
    console.log('no token: the workspace was not checked\nnothing was written; to write, pass --apply');
    return 0;
  }
  const run = await meet(source, planned, options, session);
  const plan = await withIdsOfPeople(planned, run);
  for (const line of describeMissing(await findMissing(run.client, plan))) console.log(line);
  const foreseen = await foresee(source, plan, options, run);
  for (const line of [
    ...describeForeseen(foreseen),
    ...describeWithoutRow(foreseen.withoutRow),
    ...describeMain(plan, run.met),
  ])
    console.log(line);
  console.log('nothing was written; to write, pass --apply');
  return foreseen.refused.length > 0 ? 1 : 0;
};

/**
 * Plans an import from a tracker, applies it or undoes it, and prints the result.
 * @returns the exit code: 0 for success, 1 if the user has to decide something or rows were refused
 * @throws Stopped, CliError, CardinalError
 */
export const importIssues = async (options: Options, session: Session): Promise<number> => {
  if (options.undo) return undo(options, session);
  const source = await openSource(options);
  try {
    const plan = await makePlan(source, options);
    const isUndecided = plan.undecided.length > 0;
    if (!options.apply || isUndecided) {
      console.log(describePlan(plan, options, source.notes).join('\n'));
      return isUndecided ? 1 : await compare(source, plan, options, session);
    }
    return await apply(source, plan, options, session);
  } finally {
    await source.close();
  }
};
