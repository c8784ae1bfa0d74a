import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll } from 'vitest';
import { recordingsFolder } from './recordings.ts';
import { routeOf, routes } from './routes.ts';
import { type Show, showsOf } from './shows.ts';
import { type Claim, claims, inventoryFile, nameOf, type Recording } from './table.ts';

/** A request of the tests' client and its answer. */
export interface Exchange {
  method: string;
  /** Below the API's prefix. */
  path: string;
  headers: Record<string, string>;
  body: string;
  status: number;
  isReplay: boolean;
  text: string;
}

const seen = new Map<string, Set<Show>>();
const firsts = new Map<string, { status: number; text: string }>();

/** Notes what an answer shows of its endpoint, for the inventory. */
export const record = ({ method, path, headers, body, status, isReplay, text }: Exchange): void => {
  const route = routeOf(method, path);
  if (!route) return;
  const { 'x-request-id': _, ...telling } = headers;
  const request = JSON.stringify([method, path, telling, body]);
  const shows = seen.get(route.operationId) ?? new Set();
  for (const show of showsOf({ request, status, isReplay, text }, firsts)) shows.add(show);
  seen.set(route.operationId, shows);
};

interface Task {
  mode: string;
  result?: { state: string } | undefined;
  tasks?: Task[];
}

/** Whether every test of a file ran and passed: what a part of a file did not show proves nothing. */
const isComplete = ({ mode, result, tasks }: Task): boolean =>
  tasks ? tasks.every(isComplete) : mode === 'run' && result?.state === 'pass';

const isMissing = ({ route, show }: Claim) => {
  const operation = routes.find((one) => nameOf(one) === route);
  return !operation || !seen.get(operation.operationId)?.has(show);
};

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern that no fixture is wanted
afterAll(({}, suite) => {
  if (!isComplete(suite as Task)) return;
  const file = basename(suite.file.filepath).replace('.acceptance.test.ts', '');
  const recording: Recording = Object.fromEntries([...seen].map(([operation, shows]) => [operation, [...shows]]));
  mkdirSync(recordingsFolder, { recursive: true });
  writeFileSync(new URL(`${file}.json`, recordingsFolder), JSON.stringify(recording));

  if (!existsSync(inventoryFile)) return;
  const missing = claims().filter((claim) => claim.file === file && isMissing(claim));
  if (missing.length === 0) return;
  const lines = missing.map(({ route, show }) => `${route}: ${show}`);
  throw new Error(`COVERAGE.md claims what this file did not see:\n${lines.join('\n')}`);
});
