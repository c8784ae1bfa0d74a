import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { noteProcesses } from '@cardinal/servers';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the run: everything that its tests start keeps its files there. */
    cardinalRun: string;
    /** Where test files ask for what the run shares. */
    cardinalShared: string;
  }
}

let folder: string | undefined;

/** The run's folder as a test file sees it. From the first call on, the processes that this worker starts end with the run. */
export const runFolder = (): string => {
  if (folder) return folder;
  folder = inject('cardinalRun');
  noteProcesses(folder);
  return folder;
};

/** A new folder of one's own inside the run's, gone with the run. Any user can enter it. */
export const scratchFolder = (name: string): string => {
  const made = mkdtempSync(join(runFolder(), `${name}-`));
  chmodSync(made, 0o755);
  return made;
};

/**
 * Asks the run for what its test files share, which is made when first asked for: `postgres`, `migrated-template`,
 * `cluster`, `stack`.
 * @throws Error with the run's own error where it could not be made
 */
export const shared = async <Thing>(name: string): Promise<Thing> => {
  const response = await fetch(`${inject('cardinalShared')}/${name}`);
  const answer = (await response.json()) as { thing?: Thing; error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer.thing as Thing;
};
