import { existsSync, mkdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { endLeftovers, takeRunFile } from '@cardinal/local/run-file';
import { ConfigError, onSpawn, sizeOf, stateFolder } from '@cardinal/servers';
import { Command } from 'commander';
import { chosenDatabase } from './config.ts';
import { fill, ownersIn, startOwn } from './database.ts';
import { unpackFolder } from './files.ts';
import { defaultFolder, findBackup } from './folders.ts';
import { checkVersion, type Manifest, readManifest, verifyFiles } from './manifest.ts';
import { inMegabytes, runProgram, say, withProgress } from './program.ts';
import { countRestore, restoresOf } from './restores.ts';
import { checkSecrets, filesFolder, isEmpty, putSecrets } from './state.ts';

const command = new Command('restore')
  .description('Puts a backup back into an empty stack, and has every counter set on before a service starts.')
  .argument('[backup]', 'a backup, or a folder whose newest is taken', defaultFolder())
  .option('--replace-secrets', 'takes the secrets of the backup where others are here, and puts these aside', false)
  .allowExcessArguments(false)
  .parse();
const { replaceSecrets } = command.opts<{ replaceSecrets: boolean }>();

/** The steps that were done; a failure undoes them in reverse order. */
type Undo = (() => void | Promise<void>)[];

/** A Postgres that has nothing of ours. @throws ConfigError where it has */
const emptyDatabase = async (state: string, undo: Undo) => {
  const chosen = chosenDatabase();
  const own = chosen ? undefined : await startOwn(state);
  const stop = async () => own?.stop();
  undo.push(async () => {
    await stop();
    own?.remove();
  });
  const url = chosen ?? own?.url ?? '';
  const owners = await ownersIn(url);
  if (owners.length > 0) {
    const where = chosen ? 'the database that DATABASE_URL names' : join(state, 'postgres');
    throw new ConfigError(
      `${where} is not empty: it has tables of ${owners.join(', ')}; move it away. Nothing was changed`,
    );
  }
  return { url, stop };
};

/** @throws ConfigError where there is no room for it */
const checkRoom = (state: string, backup: string, { databaseBytes }: Manifest) => {
  const { bavail, bsize } = statfsSync(state);
  const needed = sizeOf(join(backup, 'files.tar')) + (chosenDatabase() ? 0 : databaseBytes);
  if (bavail * bsize < needed)
    throw new ConfigError(`${state} has ${inMegabytes(bavail * bsize)} free, and this takes ${inMegabytes(needed)}`);
};

const restoreFiles = async (backup: string, folder: string, undo: Undo, signal: AbortSignal): Promise<void> => {
  const archive = join(backup, 'files.tar');
  say(`files (${inMegabytes(sizeOf(archive))})`);
  const draft = `${folder}.restoring`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  undo.push(() => rmSync(draft, { recursive: true, force: true }));
  await withProgress(() => 'unpacking', unpackFolder(archive, draft, signal));
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  renameSync(draft, folder);
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
};

const restore = async (backup: string, manifest: Manifest, state: string, undo: Undo, signal: AbortSignal) => {
  const files = filesFolder(state);
  if (files !== undefined && !isEmpty(files))
    throw new ConfigError(`${files} is not empty: move it away, with ${join(state, 'postgres')}; nothing was changed`);
  if (!replaceSecrets) checkSecrets(backup, state);
  checkRoom(state, backup, manifest);
  const { url, stop } = await emptyDatabase(state, undo);
  if (files !== undefined && existsSync(join(backup, 'files.tar'))) await restoreFiles(backup, files, undo, signal);
  undo.push(putSecrets(backup, state));
  // Counted in advance: a failed restore costs a larger gap, an uncounted one could give an identifier twice.
  const restoredBefore = restoresOf(backup);
  for (const one of countRestore(backup, manifest, new Date()))
    say(
      `${one.file} cannot be written: before that backup starts again, see doctor --advance --restored-before ${one.count}`,
    );
  // Last: where the database is there, so is everything else.
  const file = join(backup, 'databases.dump');
  say(`databases (${inMegabytes(sizeOf(file))})`);
  const begun = performance.now();
  const filling = fill(url, { file, state, restoredBefore, signal });
  await withProgress(() => `${Math.round((performance.now() - begun) / 1_000)} s`, filling);
  await stop();
};

await runProgram(async (signal) => {
  const state = stateFolder();
  const backup = findBackup(resolve(command.processedArgs[0]));
  const manifest = readManifest(backup);
  say(`restoring ${backup}, made ${manifest.made} of ${manifest.stack}`);
  checkVersion(manifest);
  await verifyFiles(backup, manifest, signal);
  const run = takeRunFile(join(state, 'run.json'));
  const forget = onSpawn((pid) => run.add(pid));
  const undo: Undo = [];
  try {
    await endLeftovers(run.leftovers);
    await restore(backup, manifest, state, undo, signal);
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw error;
  } finally {
    forget();
    run.release();
  }
  say(`restored into ${state}; its numbers skip a margin. Start it with: npm start`);
});
