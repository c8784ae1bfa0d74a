import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createStack, natsBinary, startRun } from '@cardinal/servers';
import type { TestProject } from 'vitest/node';
import { givenStack } from '../environment.ts';
import { buildStack } from '../stack/build.ts';
import {
  copyTemplate,
  engineAnswers,
  makeClusterTemplate,
  makeMigratedTemplate,
  roleUrls,
  startSharedPostgres,
} from './postgres.ts';
import type {} from './worker.ts';

/** What a test file may ask the run for, by name. Each makes its thing when first asked, once. */
type Makers = Record<string, () => Promise<unknown>>;

/** Serves the run's shared things to its test files, which live in other processes. */
const serveShared = async (makers: Makers): Promise<{ url: string; server: Server }> => {
  const server = createServer(async (request, response) => {
    const name = (request.url ?? '/').slice(1);
    const make = makers[name];
    try {
      if (!make) throw new Error(`the run shares no ${name}`);
      response.end(JSON.stringify({ thing: await make() }));
    } catch (error) {
      response.end(JSON.stringify({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
};

const once = <T>(make: () => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** Vitest's global set-up: nothing is started before a test asks for it; everything is ended with the run. */
export default async function setUp(project: TestProject) {
  const { folder: run, end } = startRun('test');
  const stops: (() => Promise<void>)[] = [];
  const postgres = once(() => startSharedPostgres(run, (stop) => stops.push(stop)));
  const template = once(async () => makeMigratedTemplate(await postgres()));
  const stack = once(async () => {
    const [server, database, dir] = [await postgres(), 'shared_stack', join(run, 'stack')];
    await copyTemplate(server, database, await template());
    mkdirSync(dir, { recursive: true });
    // Nothing in it is ever down, so a request that waits only waits for a slow machine.
    const env = { gateway: { REQUEST_TIMEOUT_MS: '30000' } };
    const stack = createStack({ dir });
    await buildStack(stack, { keys: join(run, 'keys'), databaseUrls: roleUrls(server, database) }, { env });
    stops.push(() => stack.stop('SIGKILL'));
    return { baseUrl: stack.baseUrls()[0], metricsUrls: stack.metricsUrls() };
  });
  const cluster = once(() => makeClusterTemplate(run));
  const shared = await serveShared({ postgres, 'migrated-template': template, cluster, stack });
  // Otherwise every worker of a fresh checkout would fetch it; the tests that need it report the error.
  if (!givenStack()) await natsBinary().catch(() => {});
  // Getting an image may take longer than any test may wait.
  if (!givenStack() && (await engineAnswers())) await postgres();
  project.provide('cardinalRun', run);
  project.provide('cardinalShared', shared.url);
  return async () => {
    shared.server.closeAllConnections();
    shared.server.close();
    for (const stop of stops.reverse()) await stop().catch(() => {});
    end();
  };
}
