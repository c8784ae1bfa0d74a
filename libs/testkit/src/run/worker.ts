import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { onSpawn } from '@cardinal/servers';
import { noteProcesses } from './folder.ts';
import { providedRun } from './provided.ts';

let folder: string | undefined;

/**
 * The run's folder as a test file sees it. From the first call on, the processes that this worker starts end with it,
 * and at the latest with the run.
 */
export const runFolder = (): string => {
  if (folder) return folder;
  folder = providedRun();
  noteProcesses(folder);
  const started = new Set<number>();
  onSpawn((pid) => started.add(pid));
  process.once('exit', () => {
    for (const pid of started) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone already, as it should be.
      }
    }
  });
  return folder;
};

/** A new folder of one's own inside the run's, gone with the run. Any user can enter it. */
export const scratchFolder = (name: string): string => {
  const made = mkdtempSync(join(runFolder(), `${name}-`));
  chmodSync(made, 0o755);
  return made;
};
