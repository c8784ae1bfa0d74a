import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, onSpawn } from '@cardinal/local';

/**
 * Notes every process that this one starts in `<run>/processes/<pid>`, so that the run can end it whatever happens to
 * whoever started it.
 */
export const noteProcesses = (run: string) => {
  mkdirSync(join(run, 'processes'), { recursive: true });
  onSpawn((pid, command) => writeFileSync(join(run, 'processes', String(pid)), command));
};

/** Ends every process of the run that is still there, then removes the run's folder. */
export const endRun = (run: string) => {
  const noted = join(run, 'processes');
  for (const pid of readdirSync(noted).map(Number)) {
    // The pid may be another program's by now.
    if (commandOf(pid) !== readFileSync(join(noted, String(pid)), 'utf8')) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  }
  rmSync(run, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
};
