import type { ImportEnvironment } from './config.ts';
import { explain } from './explain.ts';
import { readOptions } from './options.ts';
import { runImport } from './run-import.ts';

const interrupted = 130;

/**
 * Runs the command and says on the console how it went. A wrong command line, and `--help`, end the process.
 * @param args without the program's own name
 * @param isStopped asked before each row; once true the rows in hand are finished and the rest is left for another run
 * @returns the exit code
 */
export const runCommand = async (
  args: string[],
  environment: ImportEnvironment,
  isStopped: () => boolean,
): Promise<number> => {
  const options = readOptions(args, environment);
  try {
    return (await runImport(options, isStopped)) ? 0 : interrupted;
  } catch (error) {
    const line = explain(error, options.url);
    console.error(line === undefined ? error : `error: ${line}`);
    return 1;
  }
};
