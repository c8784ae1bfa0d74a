import { resolve } from 'node:path';
import type { Command } from 'commander';
import { stopped } from '../errors.ts';
import type { Session } from '../session.ts';
import { Stopped } from './concurrently.ts';
import { declareOptions, isFromCardinal, type Parsed, readOptions } from './options.ts';

// Loaded on use: import and export are half of the program.

/** Runs a command that can be stopped early, and then prints how to continue. */
const stoppable = async (session: Session, left: string, run: () => Promise<number>): Promise<void> => {
  try {
    session.exitCode = await run();
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    console.log(`stopped; ${left}`);
    session.exitCode = stopped;
  }
};

/** `cardinal import` */
export const addImport = (program: Command, session: Session): void => {
  const command = declareOptions(program.command('import'));
  command.action((files: string[], parsed: Parsed) =>
    stoppable(session, 'the same command goes on', async () => {
      if (!isFromCardinal(command)) {
        return (await import('./run.ts')).importIssues(readOptions(files, parsed, session.directory), session);
      }
      await (await import('./cardinal/import.ts')).importExport(files, parsed, session);
      return 0;
    }),
  );
};

/** `cardinal export` */
export const addExport = (program: Command, session: Session): void => {
  program
    .command('export')
    .description('Writes all that you see of a workspace as JSON lines, with the bytes of its files.')
    .argument('<folder>', 'a new folder')
    .action((folder: string) =>
      stoppable(session, 'the export is not complete, and no import takes it', async () => {
        const { exportTo } = await import('./cardinal/export-to.ts');
        await exportTo(resolve(session.directory, folder), session);
        return 0;
      }),
    );
};
