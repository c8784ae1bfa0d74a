import { basename } from 'node:path';
import { createClient } from '../client.ts';
import { createCards } from './create-cards.ts';
import { ImportError } from './import-error.ts';
import type { ImportOptions } from './options.ts';
import { grouped } from './output/numbers.ts';
import { showProgress } from './output/progress.ts';
import { describeResult, describeSurvey } from './output/summary.ts';
import { openTable, type Table } from './rows/table.ts';
import { type Survey, surveyTable } from './survey.ts';
import { newTally } from './tally.ts';
import { findPlace } from './target/find-place.ts';
import { knownWorkstreams, makeWorkstream } from './target/find-workstreams.ts';
import { refuseForgotten } from './target/refuse-forgotten.ts';

// An import outlives a restart of the service or a full rate limit; what it waits for is bounded all the same.
const patience = { attempts: 10, capMs: 10_000 };

const say = (lines: string[]) => {
  for (const line of lines) console.log(line);
};

/** Reads the file once and throws, before anything is written, what would make the import fail half-way. */
const surveyOrRefuse = async (table: Table, { file, maxWorkstreams }: ImportOptions): Promise<Survey> => {
  const survey = await surveyTable(table, (line, problem) => console.error(`${basename(file)}:${line}: ${problem}`));
  if (survey.refused > 0) {
    throw new ImportError(
      `${grouped(survey.refused)} of ${grouped(survey.rows)} rows cannot become cards (see above); nothing was written. ` +
        'Mend them, or let --truncate shorten those that are too long',
    );
  }
  if (survey.prefixes.size > maxWorkstreams) {
    throw new ImportError(
      `the pattern names ${grouped(survey.prefixes.size)} workstreams, and a prefix once used is taken for ever; ` +
        'nothing was written. Mend --workstream-pattern or raise --max-workstreams',
    );
  }
  return survey;
};

/**
 * Imports a file: reads it once to judge it, finds or makes where the cards go, then creates a card a row.
 * @param isStopped asked before each row; once true the rows in hand are finished and the rest is left for another run
 * @returns whether every row has its card
 * @throws ImportError, ApiError, ConnectionError
 */
export const runImport = async (options: ImportOptions, isStopped: () => boolean): Promise<boolean> => {
  const started = performance.now();
  const table = await openTable(options.file, options);
  const survey = await surveyOrRefuse(table, options);
  say(describeSurvey(survey));
  if (options.dryRun || survey.rows === 0) return true;
  if (!options.token) {
    throw new ImportError(
      'no token; set CARDINAL_TOKEN or say --token ("npm start" prints one for the demo workspace)',
    );
  }

  const access = { baseUrl: options.url, token: options.token };
  // The first requests tell a wrong address or token; whoever mistyped one should not wait long to hear it.
  const workstreams = await knownWorkstreams(createClient(access), survey.prefixes.keys());
  const client = createClient({ ...access, retry: patience });
  const place = await findPlace(client, options);
  if (!options.append) await refuseForgotten(client, place, Date.now());
  for (const prefix of survey.prefixes.keys()) {
    if (isStopped()) return false;
    if (!workstreams.has(prefix)) workstreams.set(prefix, await makeWorkstream(client, prefix));
  }

  const tally = newTally();
  const done = () => tally.all.created + tally.all.alreadyThere;
  const progress = showProgress(survey.rows, done);
  try {
    await createCards(client, table, {
      columnId: place.column.id,
      workstreamIds: new Map([...workstreams].map(([prefix, { id }]) => [prefix, id])),
      tally,
      concurrency: options.concurrency,
      isStopped,
    });
  } finally {
    progress.stop();
    const names = { board: place.board.name, column: place.column.name };
    say(describeResult(tally, names, performance.now() - started));
    if (done() < survey.rows)
      say([`${grouped(survey.rows - done())} rows are left; the same command goes on with them`]);
  }
  return done() === survey.rows;
};
