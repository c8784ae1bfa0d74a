import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { endLeftovers, isRunning, takeRunFile } from '@cardinal/local/run-file';
import {
  ConfigError,
  inDatabase,
  onSpawn,
  ownDatabaseName,
  runningPostgres,
  sizeOf,
  stateFolder,
} from '@cardinal/servers';
import { Command, InvalidArgumentError } from 'commander';
import { chosenDatabase, secretsGiven } from './config.ts';
import { databaseBytes, dump, ownersIn, startOwn } from './database.ts';
import { packFolder } from './files.ts';
import { defaultFolder, placeIn, removeOlder } from './folders.ts';
import { describeFile, manifestFile, renderManifest, versionHere } from './manifest.ts';
import { inMegabytes, runProgram, say, withProgress } from './program.ts';
import { filesFolder, keepSecrets } from './state.ts';

const parseKeep = (value: string) => {
  if (/^[1-9]\d{0,4}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number above 0.');
};

const command = new Command('backup')
  .description('Takes everything of the stack that `npm start` runs here: databases, files, secrets.')
  .argument('[folder]', 'where the backup goes, in a new folder', defaultFolder())
  .option('--keep <number>', 'removes older backups of this stack but so many, this one included', parseKeep)
  .allowExcessArguments(false)
  .parse();
const { keep } = command.opts<{ keep?: number }>();
const folder = resolve(command.processedArgs[0]);

/** Runs `work` with the database, whether the stack runs or not. */
const withDatabase = async (state: string, work: (url: string) => Promise<void>): Promise<void> => {
  const chosen = chosenDatabase();
  if (chosen) return work(chosen);
  const running = runningPostgres(join(state, 'postgres'), ownDatabaseName);
  if (running) return work(running);
  const file = join(state, 'run.json');
  if (isRunning(file))
    throw new ConfigError(
      'the stack that runs here has no Postgres of its own: give DATABASE_URL as npm start was given it',
    );
  if (!existsSync(join(state, 'postgres')))
    throw new ConfigError(
      `${state} has no Postgres: nothing to back up, unless DATABASE_URL or CARDINAL_STATE names it`,
    );
  say('nothing runs; Postgres alone is started for the backup');
  const run = takeRunFile(file);
  try {
    await endLeftovers(run.leftovers);
    const forget = onSpawn((pid) => run.add(pid));
    const own = await startOwn(state).finally(forget);
    await work(inDatabase(own.url, ownDatabaseName)).finally(own.stop);
  } finally {
    run.release();
  }
};

/** A file of mode 600, which another program fills. */
const newFile = (draft: string, name: string): string => {
  const file = join(draft, name);
  writeFileSync(file, '', { mode: 0o600 });
  return file;
};

/** Writes all of a backup, its manifest last. */
const fill = async (draft: string, state: string, signal: AbortSignal): Promise<void> => {
  let bytes = 0;
  const names = ['databases.dump'];
  // The databases first: bytes of a file that came after the dump are harmless. In the other order a file could lack its
  // bytes.
  await withDatabase(state, async (url) => {
    if ((await ownersIn(url)).length === 0) throw new ConfigError('the database has no tables of Cardinal');
    bytes = await databaseBytes(url);
    say(`databases (${inMegabytes(bytes)} in Postgres)`);
    const file = newFile(draft, 'databases.dump');
    await withProgress(() => inMegabytes(sizeOf(file)), dump(url, file, signal));
  });
  const files = filesFolder(state);
  if (files === undefined) say('files are in a bucket (STORAGE_URL), which is not part of this backup');
  else if (existsSync(files)) {
    say('files');
    const file = newFile(draft, 'files.tar');
    await withProgress(() => inMegabytes(sizeOf(file)), packFolder(files, file, signal));
    names.push('files.tar');
  }
  names.push(...keepSecrets(state, draft));
  for (const name of secretsGiven()) say(`${name} was given as a variable, and is not part of this backup: keep it`);
  say('checksums');
  const kept = [];
  for (const name of names) kept.push(await describeFile(draft, name, signal));
  const made = new Date().toISOString();
  const manifest = { stack: state, version: versionHere(), made, databaseBytes: bytes, files: kept };
  writeFileSync(join(draft, manifestFile), renderManifest(manifest), { mode: 0o600, flush: true });
};

await runProgram(async (signal) => {
  const state = stateFolder();
  const { final, draft, cutOff } = placeIn(folder, state, new Date());
  for (const one of cutOff) say(`${join(folder, one)} is of a backup that was cut off, or is being made`);
  mkdirSync(draft, { mode: 0o700 });
  try {
    await fill(draft, state, signal);
    signal.throwIfAborted();
    renameSync(draft, final);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  say(final);
  if (keep !== undefined) for (const one of removeOlder(folder, state, keep)) say(`removed ${one}`);
});
