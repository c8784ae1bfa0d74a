import { readEnvironment } from './config.ts';
import { explain } from './explain.ts';
import { readOptions } from './options.ts';
import { runImport } from './run-import.ts';
import { watchForStop } from './stop-signal.ts';

const interrupted = 130;

const options = readOptions(process.argv.slice(2), readEnvironment());
const isStopped = watchForStop();
try {
  const complete = await runImport(options, isStopped);
  process.exitCode = complete ? 0 : interrupted;
} catch (error) {
  const line = explain(error, options.url);
  console.error(line === undefined ? error : `error: ${line}`);
  process.exitCode = 1;
}
