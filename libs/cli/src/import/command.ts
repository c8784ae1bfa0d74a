import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import { declareOptions, isFromCardinal, type Parsed, readOptions } from './options.ts';

// What they do is loaded when it is done: it is half of the program.

/** `cardinal import` */
export const addImport = (program: Command, session: Session): void => {
  const command = declareOptions(program.command('import'));
  command.action(async (files: string[], parsed: Parsed) => {
    if (isFromCardinal(command)) {
      const { importExport } = await import('./cardinal/import.ts');
      session.exitCode = await importExport(files, parsed, session);
    } else {
      const options = readOptions(files, parsed, session.directory);
      session.exitCode = await (await import('./run.ts')).importIssues(options, session);
    }
  });
};

/** `cardinal export` */
export const addExport = (program: Command, session: Session): void => {
  program
    .command('export')
    .description('Writes all that you see of a workspace as JSON lines, with the bytes of its files.')
    .argument('<folder>', 'a new folder')
    .action(async (folder: string) => {
      const { exportTo } = await import('./cardinal/export-to.ts');
      session.exitCode = await exportTo(resolve(session.directory, folder), session);
    });
};
