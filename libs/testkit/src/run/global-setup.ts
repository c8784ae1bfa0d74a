import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { givenStack } from '../environment.ts';
import { openDesk } from './desk.ts';
import { engineAnswers } from './docker.ts';
import { endRun, noteProcesses } from './folder.ts';
import type {} from './provided.ts';
import { makeMigratedTemplate, startSharedPostgres } from './shared-postgres.ts';
import { startSharedStack } from './shared-stack.ts';
import { startGuard } from './start-guard.ts';

const once = <T>(make: () => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/** Vitest's global set-up: nothing is started before a test asks for it; everything is ended with the run. */
export default async function setUp(project: TestProject) {
  const run = mkdtempSync(join(tmpdir(), 'cardinal-test-'));
  // Postgres may have to run as another user, who must be able to enter.
  chmodSync(run, 0o755);
  noteProcesses(run);
  const endGuard = startGuard(run);
  const stops: (() => Promise<void>)[] = [];
  const postgres = once(() => startSharedPostgres(run, (stop) => stops.push(stop)));
  const template = once(async () => makeMigratedTemplate(run, await postgres()));
  const stack = once(async () => {
    const { baseUrl, metricsUrls, stop } = await startSharedStack(run, await postgres(), await template());
    stops.push(stop);
    return { baseUrl, metricsUrls };
  });
  const desk = await openDesk({ postgres, 'migrated-template': template, stack });
  // Getting an image may take longer than any test may wait.
  if (!givenStack() && (await engineAnswers())) await postgres();
  project.provide('cardinalRun', run);
  project.provide('cardinalDesk', desk.url);
  return async () => {
    desk.server.closeAllConnections();
    desk.server.close();
    for (const stop of stops.reverse()) await stop().catch(() => {});
    endRun(run);
    endGuard();
  };
}
