#!/usr/bin/env node
import { runCli } from './cli.ts';
import { readEnvironment } from './config.ts';
import { watchSignals } from './signals.ts';

// Whoever read the output has had enough: `| head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runCli(process.argv.slice(2), readEnvironment(), watchSignals);
