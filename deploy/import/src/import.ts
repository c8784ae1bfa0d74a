import { basename } from 'node:path';
import { type CardinalClient, CardinalError, createClient } from '@cardinal/client/source';
import { forEachConcurrently } from './concurrently.ts';
import { type ImportEnvironment, type ImportOptions, readOptions } from './config.ts';
import {
  countCard,
  describeResult,
  describeSurvey,
  explain,
  grouped,
  ImportError,
  newTally,
  type Survey,
  showProgress,
  type Tally,
  total,
} from './report.ts';
import { occurrenceCounter, type PlannedCard, placesOf, planRow, type RowRules, rowKey } from './rows.ts';
import { openTable, type Table as RawTable, rowsBelow } from './sources/table.ts';
import { createWorkstream, findLabels, findTarget, knownWorkstreams, refuseForgotten } from './target.ts';

// An import outlives a restart of the service or a full rate limit; what it waits for is bounded all the same.
const patience = { attempts: 10, capMs: 10_000 };
const maxLabels = 1_000;

type Table = RawTable & { rules: RowRules };

async function* plannedRows(table: Table) {
  for await (const { line, cells } of rowsBelow(table)) {
    const planned = planRow(cells, table.rules);
    yield 'problem' in planned ? { line, problem: planned.problem } : { line, card: planned };
  }
}

/** Reads the whole table, and names each row that the API would refuse as it is met. */
const surveyTable = async (table: Table): Promise<Survey> => {
  const unusable = { rows: 0, examples: new Set<string>() };
  const survey: Survey = { rows: 0, refused: 0, prefixes: new Map(), labels: new Set(), unusable };
  for await (const row of plannedRows(table)) {
    survey.rows += 1;
    if ('problem' in row) {
      survey.refused += 1;
      console.error(`${basename(table.file)}:${row.line}: ${row.problem}`);
      continue;
    }
    const { workstream, labels } = row.card;
    for (const label of labels) survey.labels.add(label);
    if (workstream.prefix !== undefined) {
      survey.prefixes.set(workstream.prefix, (survey.prefixes.get(workstream.prefix) ?? 0) + 1);
    }
    if (workstream.unusable !== undefined) {
      unusable.rows += 1;
      if (unusable.examples.size < 5) unusable.examples.add(workstream.unusable);
    }
  }
  return survey;
};

/** @throws ImportError, before anything is written, for what would make the import fail half-way */
const judge = (survey: Survey, { maxWorkstreams }: ImportOptions): void => {
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
  if (survey.labels.size > maxLabels) {
    throw new ImportError(
      `the file names ${grouped(survey.labels.size)} labels, more than ${grouped(maxLabels)}; nothing was written. ` +
        'Is it the right column that labels are mapped to?',
    );
  }
};

const changedFile = (line: number, what: string) =>
  new ImportError(`the file was changed during the import: line ${line}: ${what}`);

// Keys are made in the file's order, before the rows are worked on in whichever order there is room.
async function* keyedCards(table: Table, columnId: string) {
  const occurrence = occurrenceCounter();
  for await (const row of plannedRows(table)) {
    if ('problem' in row) throw changedFile(row.line, row.problem);
    const { line, card } = row;
    yield { line, card, key: rowKey(columnId, card.hash, occurrence(card.hash)) };
  }
}

const explainRefusal = (line: number, error: unknown) => {
  if (!(error instanceof CardinalError)) return error;
  if (error.code === 'idempotency_key_reused') {
    return new ImportError(
      `line ${line} was imported into this column before with other options (pattern, description, truncate or map); use ` +
        'these again, or import into another --board or --column',
      { cause: error },
    );
  }
  const aboutTheRow = ['not_found', 'conflict', 'validation_error'].includes(error.code);
  return aboutTheRow ? new ImportError(`the service refused line ${line}: ${error.message}`, { cause: error }) : error;
};

interface CardContext {
  client: CardinalClient;
  columnId: string;
  /** Ids by prefix and by name. */
  workstreams: Map<string, string>;
  labels: Map<string, string>;
  tally: Tally;
}

/** Creates a row's card. Its labels and assignees follow one by one; setting them again changes nothing. */
const createCard = async (
  { line, card, key }: { line: number; card: PlannedCard; key: string },
  context: CardContext,
) => {
  const { client, columnId, workstreams, labels, tally } = context;
  const idOf = (kind: string, name: string, ids: Map<string, string>) => {
    const id = ids.get(name);
    if (!id) throw changedFile(line, `it names the ${kind} ${name}`);
    return id;
  };
  const { prefix } = card.workstream;
  const workstream = prefix === undefined ? {} : { workstream_id: idOf('workstream', prefix, workstreams) };
  const labelIds = card.labels.map((name) => idOf('label', name, labels));
  let replayed = false;
  const options = {
    idempotencyKey: key,
    onReply: (reply: { replayed: boolean }) => {
      replayed = reply.replayed;
    },
  };
  try {
    const created = await client.cards.create(columnId, { ...card.body, ...workstream }, options);
    for (const id of labelIds) await client.cards.addLabel(created.id, id);
    for (const id of card.assignees) await client.cards.addAssignee(created.id, id);
    countCard(tally, created.workstream.prefix, replayed);
  } catch (error) {
    throw explainRefusal(line, error);
  }
};

const importTable = async (table: Table, options: ImportOptions, isStopped: () => boolean): Promise<boolean> => {
  const started = performance.now();
  const survey = await surveyTable(table);
  judge(survey, options);
  console.log(describeSurvey(survey).join('\n'));
  if (options.dryRun || survey.rows === 0) return true;
  if (!options.token) {
    throw new ImportError(
      'no token; set CARDINAL_TOKEN or say --token ("npm start" prints one for the demo workspace)',
    );
  }

  const access = { baseUrl: options.url, token: options.token };
  // The first requests reveal a wrong address or token, before any long work.
  const workstreams = await knownWorkstreams(createClient(access), survey.prefixes);
  const client = createClient({ ...access, retry: patience });
  const target = await findTarget(client, options);
  if (!options.append) await refuseForgotten(client, target, Date.now());
  for (const prefix of survey.prefixes.keys()) {
    if (isStopped()) return false;
    if (!workstreams.has(prefix)) workstreams.set(prefix, await createWorkstream(client, prefix));
  }
  const labels = await findLabels(client, survey.labels);

  const tally = newTally();
  const done = () => total(tally.all);
  const stopProgress = showProgress(survey.rows, done);
  try {
    const context = { client, columnId: target.column.id, workstreams, labels, tally };
    const bounds = { concurrency: options.concurrency, isStopped };
    await forEachConcurrently(keyedCards(table, target.column.id), bounds, (keyed) => createCard(keyed, context));
  } finally {
    stopProgress();
    console.log(describeResult(tally, target, performance.now() - started).join('\n'));
    const left = survey.rows - done();
    if (left > 0) console.log(`${grouped(left)} rows are left; the same command goes on with them`);
  }
  return done() === survey.rows;
};

/**
 * Imports a file and says on the console how it went. A wrong command line, and `--help`, end the process.
 * @param isStopped asked before each row; once true the rows in hand are finished and the rest is left for another run
 * @returns the exit code: 0 when every row has its card, 1 after an error, 130 when it was stopped
 */
export const runCommand = async (
  args: string[],
  environment: ImportEnvironment,
  isStopped: () => boolean,
): Promise<number> => {
  let { url } = environment;
  try {
    const options = readOptions(args, environment);
    url = options.url;
    const table = await openTable(options.file);
    try {
      const { columns, pattern, truncate } = options;
      const rules = { header: table.header, at: placesOf(table.header, columns), pattern, truncate };
      return (await importTable({ ...table, rules }, options, isStopped)) ? 0 : 130;
    } finally {
      await table.close();
    }
  } catch (error) {
    const line = explain(error, url);
    console.error(line === undefined ? error : `error: ${line}`);
    return 1;
  }
};
