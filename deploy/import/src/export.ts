import { runExport } from './cardinal/export-command.ts';
import { readEnvironment } from './config.ts';
import { watchSignals } from './signals.ts';

process.exitCode = await runExport(process.argv.slice(2), readEnvironment(), watchSignals());
