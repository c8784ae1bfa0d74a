import { join, resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import { several } from '../../print.ts';
import type { Session } from '../../session.ts';
import { connectPatiently } from '../connect.ts';
import { openJournal } from '../journal.ts';
import type { Parsed } from '../options.ts';
import { showProgress } from '../report.ts';
import { archiveCards, finishCards, makeContents, makeDependencies, uploadFiles } from './content.ts';
import type { ImportContext } from './context.ts';
import { adoptCards, replaySteps } from './identifiers.ts';
import { orderColumns } from './order.ts';
import { addPeople } from './people.ts';
import { describePlan } from './plan.ts';
import { planReplay, type Replay } from './replay.ts';
import {
  checkEmpty,
  closeStructure,
  furnishBoards,
  makeStructure,
  makeWorkstreams,
  openWorkstreams,
} from './structure.ts';
import { openCards, readSurvey, type Survey } from './survey.ts';

const planOf = ({ cards, gone }: Survey): Replay => {
  const named = [...cards.values()].map(({ id, identifiers }) => ({ id, isGone: false, identifiers }));
  return planReplay(named, gone);
};

/** Runs all steps; none hinders a later one. */
const apply = async (context: ImportContext, folder: string): Promise<void> => {
  await addPeople(context);
  await makeStructure(context);
  await makeWorkstreams(context);
  const reader = await openCards(context.survey.file);
  try {
    await adoptCards(context, reader);
    await openWorkstreams(context);
    await replaySteps(context, reader);
  } finally {
    await reader.close();
  }
  await orderColumns(context);
  await uploadFiles(context, folder);
  await makeContents(context);
  await finishCards(context);
  await makeDependencies(context);
  await furnishBoards(context);
  await archiveCards(context);
  await closeStructure(context);
};

/**
 * Imports an export into an empty workspace, or prints what it would do (CONTRACT 11.3).
 * @throws Stopped, CliError, CardinalError
 */
export const importExport = async (
  [given = '']: string[],
  options: Pick<Parsed, 'run' | 'apply'>,
  session: Session,
): Promise<void> => {
  const folder = resolve(session.directory, given);
  const survey = await readSurvey(folder);
  const replay = planOf(survey);
  if (!options.apply) {
    console.log(describePlan(survey, replay).join('\n'));
    if (session.access().token) await checkEmpty((await connectPatiently(session)).client);
    console.log('nothing was written; to write, pass --apply');
    return;
  }
  const { client, workspace, scopes } = await connectPatiently(session);
  if (!scopes.includes('kanban:admin'))
    throw new CliError('the token lacks the scope kanban:admin, which an import of a workspace needs');
  const run = options.run === undefined ? `${folder}.import` : resolve(session.directory, options.run);
  const journal = await openJournal(join(run, 'cardinal.jsonl'), workspace, survey.about.id);
  if (!journal.isBegun) await checkEmpty(client);
  const context: ImportContext = {
    client,
    journal,
    survey,
    replay,
    concurrency: 8,
    isStopped: session.watchSignals(),
    done: { cards: 0 },
    left: [],
  };
  const progress = { what: 'card', done: () => context.done.cards, all: replay.all.length };
  await showProgress(apply(context, folder), progress);
  for (const line of context.left) console.log(`left out: ${line}`);
  console.log(`${several(survey.cards.size, 'card is', 'cards are')} there, with all their identifiers`);
};
