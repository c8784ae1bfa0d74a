#!/usr/bin/env node
import { runCli } from './cli.ts';
import { readEnvironment } from './config.ts';
import { watchSignals } from './signals.ts';

process.exitCode = await runCli(process.argv.slice(2), readEnvironment(), watchSignals);
