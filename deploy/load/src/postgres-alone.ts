import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runStatements, searchPath } from '@cardinal/servers';
import type { Dataset } from './paths.ts';
import type { Environment } from './systems.ts';

const run = promisify(execFile);

/** Opening the connections counts, a second for 32 of them on a slow machine: pgbench fails where no transaction ends. */
const secondsFor = (clients: number) => 3 + Math.ceil(clients / 32);

/**
 * Sets up what Postgres alone can do with the reference's create as one function, called by pgbench.
 * @returns runs it once and answers creates per second; undefined where there is no pgbench
 */
export const postgresAlone = async (environment: Environment, databaseUrl: string, dataset: Dataset) => {
  const program = searchPath()
    .map((folder) => join(folder, 'pgbench'))
    .find(existsSync);
  if (!program) return undefined;
  await runStatements(databaseUrl, [readFileSync(join(import.meta.dirname, 'reference/create.sql'), 'utf8')]);
  const script = join(environment.folder, 'create.pgbench');
  const call = `select create_card('${environment.workspace}', '${environment.user}', '${dataset.column}', '${dataset.workstreams[0]}');`;
  writeFileSync(script, call);
  return async (clients: number, seconds: number): Promise<number> => {
    const threads = String(Math.min(clients, 2));
    const lasts = String(Math.max(seconds, secondsFor(clients)));
    const how = ['-n', '-M', 'prepared', '-c', String(clients), '-j', threads, '-T', lasts];
    const { stdout, stderr } = await run(program, [...how, '-f', script, databaseUrl]);
    const output = stdout + stderr;
    const found = /tps = ([\d.]+) \(without initial/.exec(output) ?? /tps = ([\d.]+)/.exec(output);
    if (!found) throw new Error(`pgbench failed: ${output}`);
    return Number(found[1]);
  };
};
