/**
 * Measures Cardinal beside a reference in one process and beside Postgres alone: on one machine, the load generator
 * included, interleaved round by round. Prints the table, writes JSON and the plots that the README shows.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { buildBefore, inDatabase, runStatements } from '@cardinal/servers';
import { Command, InvalidArgumentError } from 'commander';
import { v7 } from 'uuid';
import { memoryOf } from './cost.ts';
import { measureEvents } from './events/events.ts';
import { measureHanging } from './events/hanging.ts';
import { measureLogs } from './events/long-log.ts';
import { create } from './load.ts';
import { type Dataset, type PathName, pathNames, pathsOf } from './paths.ts';
import { postgresAlone } from './postgres-alone.ts';
import {
  costTableOf,
  countFailures,
  eventTableOf,
  hangingTableOf,
  linesOf,
  logTableOf,
  plotOf,
  releaseTableOf,
  rowOf,
  scaleTableOf,
  tableOf,
} from './report.ts';
import { measure, measureCosts, type Subject } from './rounds.ts';
import { measureScale } from './scale.ts';
import {
  type Environment,
  type System,
  type SystemName,
  startCardinal,
  startEnvironment,
  startReference,
  systemNames,
} from './systems.ts';

const workstreams = 100;
/** Node compiles a path during about its first 20,000 requests: before, a lone client waits three times as long. */
const warmUpSeconds = 5;

const positive = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('must be a whole number from 1 on');
  return value;
};
const numbers = (text: string) => text.split(',').map(positive);
const names = (text: string) => {
  const chosen = pathNames.filter((name) => name.includes(text));
  if (chosen.length === 0) throw new InvalidArgumentError(`is in none of: ${pathNames.join('; ')}`);
  return chosen;
};

type Options = Record<'rounds' | 'seconds' | 'cards' | 'events' | 'streams', number> &
  Record<'clients' | 'scale' | 'hanging' | 'logs', number[]> & { path: PathName[]; out: string; release: boolean };

const command = new Command('bench')
  .description('Measures Cardinal beside a reference in one process, and beside Postgres alone.')
  .option('--rounds <n>', 'rounds over every path', positive, 5)
  .option('--seconds <n>', 'seconds of each leg', positive, 3)
  .option('--clients <n,…>', 'numbers of clients', numbers, [1, 32, 128])
  .option('--path <text>', 'only the paths whose name has this in it', names, [...pathNames])
  .option('--scale <n,…>', 'measures what a request costs with so many cards on the board', numbers, [])
  .option('--events <n>', 'measures followers, and a backlog of so many changes', positive)
  .option('--streams <n>', 'of these followers', positive, 1_000)
  .option('--hanging <n,…>', 'measures a workspace beside so many webhooks of others that hang', numbers, [])
  .option('--logs <n,…>', 'measures pages of logs of so many events', numbers, [])
  .option('--release', 'measures the last release beside this build, and nothing else', false)
  .option('--cards <n>', 'cards that are there before', positive, 10_000)
  .option('--out <folder>', 'receives results.json and the plots', join(import.meta.dirname, '../results'))
  .parse();
const {
  path: paths,
  scale: sizes,
  hanging: webhooks,
  logs: lengths,
  cards,
  release,
  events: backlog,
  streams,
  out,
  ...legs
} = command.opts<Options>();

const log = (line: string) => void process.stderr.write(`${line}\n`);

const datasetOfCardinal = async (system: System): Promise<Dataset> => {
  const board = await create(system, '/boards', { name: 'Load' });
  const column = await create(system, `/boards/${board}/columns`, { name: 'To do' });
  const streams: string[] = [];
  for (let at = 1; at <= workstreams; at += 1) {
    streams.push(await create(system, '/workstreams', { name: `Workstream ${at}`, prefix: `W${at}` }));
  }
  return { board, column, workstreams: streams };
};

const datasetOfReference = async ({ workspace, user }: Environment, url: string): Promise<Dataset> => {
  const [board, column] = [v7(), v7()];
  const streams = Array.from({ length: workstreams }, () => v7());
  await runStatements(url, [
    `insert into boards (workspace_id, id, name, visibility, created_by) values ('${workspace}', '${board}', 'Load', 'workspace', '${user}')`,
    `insert into columns (workspace_id, id, board_id, position) values ('${workspace}', '${column}', '${board}', 1)`,
    ...streams.map(
      (id, at) =>
        `insert into workstreams (workspace_id, id, name, prefix, is_default) values ('${workspace}', '${id}', 'Workstream ${at + 1}', 'W${at + 1}', ${at === 0})`,
    ),
  ]);
  return { board, column, workstreams: streams };
};

const plan = { ...legs, paths };

type Seeded = Subject & { dataset: Dataset };

const memoryBy = (systems: readonly System[]) =>
  Object.fromEntries(systems.map((system) => [system.name, memoryOf(system)]));

/** Ends the program with 1 later, where requests failed. */
const failOn = (failures: number): void => {
  if (failures === 0) return;
  log(`${failures} requests failed`);
  process.exitCode = 1;
};

/** Measures together, apart and the reference, and whatever else was asked for; prints and writes it. */
const measureAll = async (
  environment: Environment,
  subjects: readonly Seeded[],
  idle: ReturnType<typeof memoryBy>,
): Promise<void> => {
  const [, apart, reference] = subjects as [Seeded, Seeded, Seeded];
  const alone = await postgresAlone(environment, inDatabase(environment.postgres.url, 'reference'), reference.dataset);
  if (!alone) log('no pgbench on the PATH: Postgres alone is not measured');
  const rows = (await measure(environment, subjects, alone, plan, log)).map(rowOf);
  const costs = await measureCosts(environment, subjects, plan);
  const scale = await measureScale(environment, apart, { sizes, seconds: plan.seconds, clients: 32 }, log);
  const followers = { backlog, streams, seconds: plan.seconds, clients: 32 };
  const events = backlog ? await measureEvents(environment, apart, followers, log) : undefined;
  const hanging = await measureHanging(environment, apart.system, { sizes: webhooks, seconds: plan.seconds }, log);
  const logs = await measureLogs(
    environment,
    apart.system,
    { sizes: lengths, seconds: plan.seconds, clients: 32 },
    log,
  );
  const loaded = memoryBy(subjects.map(({ system }) => system));
  const startedInMs = Object.fromEntries(subjects.map(({ system: { name, startedInMs } }) => [name, startedInMs]));

  const target = resolve(out);
  mkdirSync(target, { recursive: true });
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, memoryBytes: totalmem(), node: process.version };
  const measured = { rows, costs, scale, events, hanging, logs, memory: { idle, loaded }, startedInMs };
  const results = { at: new Date().toISOString(), machine, plan: { ...plan, cards }, ...measured };
  writeFileSync(join(target, 'results.json'), linesOf(results));
  for (const clients of plan.clients) writeFileSync(join(target, `clients-${clients}.svg`), plotOf(rows, clients));
  process.stdout.write(`${tableOf(rows)}\n\n${costTableOf(costs)}\n\n`);
  if (scale.length > 0) process.stdout.write(`${scaleTableOf(scale)}\n\n`);
  if (events) process.stdout.write(`${eventTableOf(events)}\n\n`);
  if (hanging.length > 0) process.stdout.write(`${hangingTableOf(hanging)}\n\n`);
  if (logs.length > 0) process.stdout.write(`${logTableOf(logs)}\n\n`);
  process.stdout.write(`${JSON.stringify({ memory: { idle, loaded }, startedInMs }, null, 2)}\n`);
  failOn(rows.reduce((sum, { failures }) => sum + failures, 0));
};

const stops: (() => Promise<void>)[] = [];
const folder = mkdtempSync(join(tmpdir(), 'cardinal-bench-'));
const cleanUp = async () => {
  for (const stop of stops.splice(0)) await stop();
  rmSync(folder, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}

try {
  log('starting Postgres and the systems');
  const environment = await startEnvironment(folder);
  stops.unshift(() => environment.stop());
  const systems: System[] = [];
  const formerBuild = release ? buildBefore() : undefined;
  if (release && !formerBuild) throw new Error('this checkout has no history of the last release');
  const names: readonly SystemName[] = release ? ['release', 'apart'] : systemNames;
  const startSystem = (name: SystemName) => {
    if (name === 'reference') return startReference(environment);
    return startCardinal(environment, name, name === 'release' ? formerBuild : undefined);
  };
  for (const name of names) {
    const system = await startSystem(name);
    systems.push(system);
    stops.unshift(() => system.stop());
  }
  const idle = memoryBy(systems);

  log(`${cards} cards in each`);
  const referenceUrl = inDatabase(environment.postgres.url, 'reference');
  const subjects: Seeded[] = [];
  for (const system of systems) {
    const isReference = system.name === 'reference';
    const dataset = await (isReference ? datasetOfReference(environment, referenceUrl) : datasetOfCardinal(system));
    subjects.push({ system, dataset, paths: pathsOf(system, dataset) });
  }
  for (const { paths } of subjects) await paths.seed(cards);
  log('warming up');
  const warmUp = { rounds: 1, seconds: warmUpSeconds, clients: [32], paths };
  await measure(environment, subjects, undefined, warmUp, () => {});
  // Not before: a plan for a table that was empty then would read all of it.
  for (const name of names) await runStatements(inDatabase(environment.postgres.url, name), ['vacuum analyze']);
  if (release) {
    const findings = await measure(environment, subjects, undefined, plan, log);
    process.stdout.write(`${releaseTableOf(findings)}\n`);
    failOn(findings.reduce((sum, { legs }) => sum + countFailures(legs), 0));
  } else await measureAll(environment, subjects, idle);
} finally {
  await cleanUp();
}
