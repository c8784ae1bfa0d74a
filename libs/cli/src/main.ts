#!/usr/bin/env node
import { runCli } from './cli.ts';
import { readEnvironment } from './config.ts';
import { obeyProxies } from './proxy.ts';
import { watchSignals } from './signals.ts';
import { guardTerminal } from './terminal.ts';

let isInHand = false;

guardTerminal(process.stdout);
guardTerminal(process.stderr);

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of the output has closed it: `| head -1`. Exports and imports continue.
  if (error.code === 'EPIPE' && isInHand) return;
  if (error.code !== 'EPIPE') console.error(`error: the output could not be written: ${error.message}`);
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});
// Nobody reads the output any more.
process.stderr.on('error', () => undefined);

const environment = readEnvironment();
const warning = obeyProxies(environment.proxies ?? {});
if (warning !== undefined) console.error(`warning: ${warning}`);

process.exitCode = await runCli(process.argv.slice(2), environment, () => {
  isInHand = true;
  return watchSignals();
});
