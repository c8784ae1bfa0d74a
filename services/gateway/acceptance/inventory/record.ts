import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
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

/**
 * Ends the recording of an acceptance test file that ran whole, and begins the next one's.
 * @param file as vitest has it after its tests
 * @throws Error where `COVERAGE.md` claims what the file did not see
 */
export const endRecording = (file: Task & { filepath: string }): void => {
  const recording: Recording = Object.fromEntries([...seen].map(([operation, shows]) => [operation, [...shows]]));
  const name = basename(file.filepath).replace('.acceptance.test.ts', '');
  const missing = existsSync(inventoryFile) ? claims().filter((claim) => claim.file === name && isMissing(claim)) : [];
  seen.clear();
  firsts.clear();
  if (!isComplete(file)) return;
  mkdirSync(recordingsFolder, { recursive: true });
  writeFileSync(new URL(`${name}.json`, recordingsFolder), JSON.stringify(recording));
  if (missing.length === 0) return;
  const lines = missing.map(({ route, show }) => `${route}: ${show}`);
  throw new Error(`COVERAGE.md claims what this file did not see:\n${lines.join('\n')}`);
};
