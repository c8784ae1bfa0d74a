import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readIfThere } from './files.ts';
import { commandOf, onSpawn, signalIfThere } from './process.ts';

/**
 * Notes every process that this one starts in `<run>/processes/<pid>`, so that the run can end it even if this process
 * is killed.
 * @returns stops noting
 */
export const noteProcesses = (run: string) => {
  mkdirSync(join(run, 'processes'), { recursive: true });
  return onSpawn((pid, command) => writeFileSync(join(run, 'processes', String(pid)), command));
};

/** Notes a folder outside of the run's, to be removed with it. */
export const noteFolder = (run: string, path: string) => appendFileSync(join(run, 'folders'), `${path}\n`);

const linesOf = (file: string) => readIfThere(file).split('\n').filter(Boolean);

/** Disks that the run mounted in its folder. */
const mountsOf = (run: string) => {
  const folders = linesOf('/proc/self/mounts').map((line) => line.split(' ')[1] ?? '');
  return folders.filter((folder) => folder.startsWith(`${run}/`));
};

/**
 * Ends every process of the run that is still there, then removes the run's folder and unmounts what is mounted in it.
 */
const endRun = (run: string) => {
  if (!existsSync(run)) return;
  const noted = join(run, 'processes');
  for (const pid of readdirSync(noted).map(Number)) {
    // The pid may be another program's by now.
    if (commandOf(pid) === readIfThere(join(noted, String(pid)))) signalIfThere(pid, 'SIGKILL');
  }
  for (const folder of mountsOf(run)) execFileSync('umount', ['-l', folder]);
  for (const folder of [...linesOf(join(run, 'folders')), run]) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
};

/**
 * Starts a guard process beside the run. Its input closes when the run ends, even if it was killed, and then it cleans
 * up what the run left behind. It ignores Ctrl-C, which the run handles.
 * @returns ends the guard, which then cleans up
 */
const startGuard = (run: string): (() => void) => {
  const guard = spawn(process.execPath, [import.meta.filename, run], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  return () => guard.stdin.end();
};

/** A folder for a run, which any user can enter: it and every process that is started from now on end with us, also when we are killed. */
export const startRun = (name: string) => {
  const folder = mkdtempSync(join(tmpdir(), `cardinal-${name}-`));
  // Postgres may have to run as another user.
  chmodSync(folder, 0o755);
  const endNotes = noteProcesses(folder);
  const endGuard = startGuard(folder);
  const end = () => {
    endNotes();
    endRun(folder);
    endGuard();
  };
  return { folder, end };
};

if (import.meta.main) {
  const [, , run] = process.argv;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.stdin.resume();
  process.stdin.once('close', () => run && endRun(run));
}
