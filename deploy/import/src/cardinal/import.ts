import { join, resolve } from 'node:path';
import { Command } from 'commander';
import type { ImportEnvironment } from '../config.ts';
import { connect } from '../connect.ts';
import { grouped, ImportError, showProgress } from '../report.ts';
import { archiveCards, finishCards, makeContents, makeDependencies, uploadFiles } from './content.ts';
import { type ImportContext, Stopped } from './context.ts';
import { adoptCards, replaySteps } from './identifiers.ts';
import { openSteps } from './journal.ts';
import { orderColumns } from './order.ts';
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

const stopped = 130;

interface Options {
  run?: string;
  apply: boolean;
  url: string;
  token: string | undefined;
}

const command = ({ url, token }: ImportEnvironment) =>
  new Command('import')
    .description('Makes a workspace of an export of Cardinal again. Without --apply it writes nothing.')
    .argument('<folder>', 'what the export wrote')
    .requiredOption('--from <cardinal>', 'cardinal: another workspace of Cardinal')
    .option('--run <folder>', "where the journal is kept (default: the export's name and .import)")
    .option('--apply', 'do what is planned; stopped and run again it goes on', false)
    .option('--url <url>', 'where Cardinal listens (default: CARDINAL_URL or http://127.0.0.1:8080)', url)
    .option('--token <token>', 'access token (default: CARDINAL_TOKEN, which shows in no list of processes)', token);

const planOf = ({ cards, gone }: Survey): Replay => {
  const named = [...cards.values()].map(({ id, identifiers }) => ({ id, isGone: false, identifiers }));
  return planReplay(named, gone);
};

/** Does it all, in an order in which nothing is in the way of what comes after it. */
const apply = async (context: ImportContext, folder: string): Promise<void> => {
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

/** Whether a command line asks for an export of Cardinal. */
export const isFromCardinal = (args: string[]): boolean =>
  args.some((arg, n) => arg === '--from=cardinal' || (arg === '--from' && args[n + 1] === 'cardinal'));

/**
 * Makes the workspace of an export again in an empty one, or says what it would do (Beyond the specification, section 4).
 * @returns the exit code: 0, or 130 when stopped
 * @throws ImportError, CardinalError
 */
export const importExport = async (
  args: string[],
  environment: ImportEnvironment,
  isStopped: () => boolean,
): Promise<number> => {
  const parsed = command(environment).parse(args, { from: 'user' });
  const options = parsed.opts<Options>();
  const folder = resolve(environment.directory, parsed.args[0] ?? '');
  const survey = await readSurvey(folder);
  const replay = planOf(survey);
  if (!options.apply) {
    console.log(describePlan(survey, replay).join('\n'));
    if (options.token) await checkEmpty((await connect(options)).client);
    console.log('nothing was written; --apply does it');
    return 0;
  }
  const { client, workspace, scopes } = await connect(options);
  if (!scopes.includes('kanban:admin')) throw new ImportError('the token lacks a scope; moving in needs kanban:admin');
  const run = options.run === undefined ? `${folder}.import` : resolve(environment.directory, options.run);
  const steps = await openSteps(join(run, 'cardinal.jsonl'), { export: survey.about.id, workspace });
  if (!steps.isBegun) await checkEmpty(client);
  const context: ImportContext = { client, steps, survey, replay, isStopped, done: { cards: 0 }, left: [] };
  const stopProgress = showProgress(replay.all.length, () => context.done.cards);
  try {
    await apply(context, folder);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    console.log('stopped; the same command goes on');
    return stopped;
  } finally {
    stopProgress();
  }
  for (const line of context.left) console.log(`left out: ${line}`);
  console.log(`${grouped(survey.cards.size)} cards are there, with all their identifiers`);
  return 0;
};
