import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import {
  ConfigError,
  ensureKeys,
  hasCluster,
  hereHost,
  notOurs,
  onSpawn,
  repository,
  urlOf,
  whyNotFree,
} from '@cardinal/servers';
import { checkChosen } from './chosen-servers.ts';
import { type LocalConfig, readConfig } from './config.ts';
import { demoScope, demoUser, demoWorkspace, ensureDemo } from './demo.ts';
import { endLeftovers, takeRunFile } from './run-file.ts';
import { checkSettings } from './settings.ts';
import { startStack } from './stack.ts';
import { say, show, stopOnSignal } from './supervise.ts';
import { watch } from './watch.ts';
import { demoWelcome } from './welcome.ts';

const halfADay = 12 * 60 * 60;

const checkPort = async ({ port, host }: LocalConfig) => {
  if (port === 0) return;
  const why = await whyNotFree(port, host);
  if (why === undefined) return;
  if (why === 'EADDRINUSE') {
    throw new ConfigError(`port ${port} is taken; choose another one: PORT=${port + 1} npm start`);
  }
  if (why === 'EACCES') throw new ConfigError(`PORT: ${port} is not ours to listen at; choose one from 1024 up`);
  throw new ConfigError(`HOST: nothing can listen at ${host} (${why}); it must be an address of this machine`);
};

/** Fills the demo workspace, and returns the message that says how to open it. */
const demo = async (
  { stateFolder, chosenState, tokens }: LocalConfig,
  database: string,
  baseUrl: string,
): Promise<string> => {
  if (tokens.keysFrom) {
    return `It takes tokens signed with the keys of ${tokens.keysFrom}, none of the development key: there is no demo workspace.`;
  }
  const { sign } = await ensureKeys(join(stateFolder, 'keys'), tokens);
  const expiresIn = Math.min(halfADay, tokens.maxLifetimeS);
  const token = await sign({ workspace: demoWorkspace, user: demoUser, scope: demoScope, expiresIn });
  await ensureDemo({ file: join(stateFolder, 'demo.json'), database, baseUrl, credential: async () => token });
  return demoWelcome({ baseUrl, token, expiresIn, isTerminal: process.stdout.isTTY, chosenState });
};

/** @throws ConfigError where it is called in a way that it does not know */
const readArguments = () => {
  try {
    return parseArgs({ options: { apart: { type: 'boolean', default: false } } }).values;
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}\nUsage: npm start [-- --apart]`);
  }
};

/** @returns a look, true once the cluster that a former look saw in `folder` is gone */
const lossOf = (folder: string) => {
  let wasThere = false;
  return () => {
    const isThere = hasCluster(folder);
    wasThere ||= isThere;
    return wasThere && !isThere;
  };
};

const start = async () => {
  const { apart } = readArguments();
  const config = readConfig();
  checkSettings(config);
  const { stateFolder } = config;
  const run = takeRunFile(join(stateFolder, 'run.json'));
  const shutdown = stopOnSignal(run.release);
  const lostCluster = config.databaseUrl ? () => false : lossOf(join(stateFolder, 'postgres'));
  const lookForFolder = () => {
    if (shutdown.isUnderWay() || (run.isHeld() && !lostCluster())) return;
    say(`${stateFolder} was removed while the stack runs on it; stopping`);
    // Not awaited: it stops this watch too.
    void shutdown.fail(new ConfigError(`The data in ${stateFolder} is gone; npm start begins anew`));
  };
  try {
    shutdown.began(watch(lookForFolder, 1_000));
    if (run.leftovers.length > 0) say('ending what a killed run left behind');
    await endLeftovers(run.leftovers);
    await checkPort(config);
    await checkChosen(config);
    onSpawn((pid) => run.add(pid));
    const { port, database, metrics } = await startStack(config, { apart, began: shutdown.began });
    const url = urlOf(hereHost(config.host), port);
    run.setUp(url, config.tokens);
    const baseUrl = `${url}/api/kanban/v1`;
    const words = await demo(config, database, baseUrl);
    show(`
Cardinal runs at ${baseUrl}
Reference: ${url}/docs   Logs: ${relative(repository, join(stateFolder, 'logs'))}   Stop: Ctrl-C
Metrics: ${metrics.map(([name, url]) => `${url} (${name})`).join(', ')}
${apart ? 'Each service is a process of its own.' : 'All services are one process; to run each as its own: npm start -- --apart'}

${words}
`);
  } catch (error) {
    if (shutdown.isUnderWay()) return;
    await shutdown.fail(error);
  }
};

try {
  await start();
} catch (error) {
  const line = error instanceof ConfigError ? error.message : notOurs(error);
  if (line === undefined) throw error;
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}
