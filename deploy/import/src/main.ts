import { runCommand } from './command.ts';
import { readEnvironment } from './config.ts';
import { watchSignals } from './signals.ts';

process.exitCode = await runCommand(process.argv.slice(2), readEnvironment(), watchSignals());
