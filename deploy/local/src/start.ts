import { join, relative } from 'node:path';
import { ConfigError, ensureKeys, hereHost, onSpawn, repository, urlOf, whyNotFree } from '@cardinal/servers';
import { checkChosen } from './chosen-servers.ts';
import { type LocalConfig, readConfig } from './config.ts';
import { demoIdentifier, demoScope, demoUser, demoWorkspace, ensureDemo } from './demo.ts';
import { endLeftovers, takeRunFile } from './run-file.ts';
import { startStack } from './stack.ts';
import { say, show, stopOnSignal } from './supervise.ts';

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

/** Fills the demo workspace, and tells with which token it opens. */
const demo = async ({ stateFolder, tokens }: LocalConfig, database: string, baseUrl: string): Promise<string> => {
  if (tokens.keysFrom) {
    return `It takes tokens signed with the keys of ${tokens.keysFrom}, none of the development key: there is no demo workspace.`;
  }
  const { sign } = await ensureKeys(join(stateFolder, 'keys'), tokens);
  const expiresIn = Math.min(halfADay, tokens.maxLifetimeS);
  const token = await sign({ workspace: demoWorkspace, user: demoUser, scope: demoScope, expiresIn });
  await ensureDemo({ file: join(stateFolder, 'demo.json'), database, baseUrl, token });
  return `A token for the demo workspace, good for ${Math.round(expiresIn / 360) / 10} hours (more: npm run --silent token):
${token}

Try:
curl -s -H 'Authorization: Bearer ${token}' ${baseUrl}/cards/by-identifier/${demoIdentifier}`;
};

const start = async () => {
  const config = readConfig();
  const { stateFolder } = config;
  const run = takeRunFile(join(stateFolder, 'run.json'));
  const shutdown = stopOnSignal(run.release);
  try {
    if (run.leftovers.length > 0) say('ending what a killed run left behind');
    await endLeftovers(run.leftovers);
    await checkPort(config);
    await checkChosen(config);
    onSpawn((pid) => run.add(pid));
    const { port, database } = await startStack(config, shutdown.began);
    const url = urlOf(hereHost(config.host), port);
    run.setUp(url, config.tokens);
    const baseUrl = `${url}/api/kanban/v1`;
    const words = await demo(config, database, baseUrl);
    show(`
Cardinal runs at ${baseUrl}
Reference: ${url}/docs   Logs: ${relative(repository, join(stateFolder, 'logs'))}   Stop: Ctrl-C

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
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
