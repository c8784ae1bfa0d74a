import { runCommand } from './command.ts';
import { readEnvironment } from './config.ts';
import { watchForStop } from './stop-signal.ts';

process.exitCode = await runCommand(process.argv.slice(2), readEnvironment(), watchForStop());
