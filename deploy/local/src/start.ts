import { join, relative } from 'node:path';
import { ConfigError, readConfig, repository } from './config.ts';
import { ensureKeys } from './keys.ts';
import { onSpawn } from './processes/child.ts';
import { isFree } from './processes/free-port.ts';
import { demoIdentifier, demoUser, demoWorkspace, ensureDemo } from './start/demo.ts';
import { AlreadyRunning, endLeftovers, takeRunFile } from './start/run-file.ts';
import { say, show } from './start/say.ts';
import { startStack } from './start/stack.ts';
import { stopOnSignal } from './start/stop.ts';

const halfADay = 12 * 60 * 60;
const scope = 'kanban:read kanban:write kanban:admin';

const start = async () => {
  const config = readConfig();
  const { stateFolder } = config;
  const run = takeRunFile(join(stateFolder, 'run.json'));
  const shutdown = stopOnSignal(run.release);
  try {
    if (run.leftovers.length > 0) say('ending what a killed run left behind');
    await endLeftovers(run.leftovers);
    if (config.port && !(await isFree(config.port))) {
      throw new ConfigError(`port ${config.port} is taken; choose another one: PORT=${config.port + 1} npm start`);
    }
    onSpawn((pid) => run.add(pid));
    const { port, database } = await startStack(config, shutdown.began);
    const url = `http://127.0.0.1:${port}`;
    run.setUrl(url);
    const { sign } = await ensureKeys(join(stateFolder, 'keys'));
    const token = await sign({ workspace: demoWorkspace, user: demoUser, scope, expiresIn: halfADay });
    const baseUrl = `${url}/api/kanban/v1`;
    await ensureDemo({ file: join(stateFolder, 'demo.json'), database, baseUrl, token });
    show(`
Cardinal runs at ${baseUrl}
Reference: ${url}/docs   Logs: ${relative(repository, join(stateFolder, 'logs'))}   Stop: Ctrl-C

A token for the demo workspace, good for 12 hours (more: npm run --silent token):
${token}

Try:
curl -s -H 'Authorization: Bearer ${token}' ${baseUrl}/cards/by-identifier/${demoIdentifier}
`);
  } catch (error) {
    if (shutdown.isUnderWay()) return;
    await shutdown.fail(error);
  }
};

try {
  await start();
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof AlreadyRunning)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
