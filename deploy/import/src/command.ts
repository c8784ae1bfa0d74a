import type { ImportEnvironment } from './config.ts';
import { readOptions } from './options.ts';
import { describePlan } from './plan/describe.ts';
import { makePlan } from './plan/plan.ts';
import { explain } from './report.ts';
import { openSource } from './sources/open.ts';

/**
 * Plans an import from another tracker and says on the console how it went. A wrong command line, and `--help`, end the
 * process.
 * @returns the exit code: 0 where all is well, 1 after an error or where something is to be decided
 */
export const runCommand = async (args: string[], environment: ImportEnvironment): Promise<number> => {
  let { url } = environment;
  try {
    const options = readOptions(args, environment);
    url = options.url;
    const source = await openSource(options);
    try {
      const plan = await makePlan(source, options);
      console.log(describePlan(plan, options, source.notes).join('\n'));
      return plan.undecided.length > 0 ? 1 : 0;
    } finally {
      await source.close();
    }
  } catch (error) {
    const line = explain(error, url);
    console.error(line === undefined ? error : `error: ${line}`);
    return 1;
  }
};
