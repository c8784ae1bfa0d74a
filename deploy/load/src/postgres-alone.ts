import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runStatements, searchPath } from '@cardinal/servers';
import type { Dataset } from './paths.ts';
import type { Environment } from './systems.ts';

/** Where `pgbench` is; undefined where it is not on the PATH. */
const pgbench = () =>
  searchPath()
    .map((folder) => join(folder, 'pgbench'))
    .find((file) => existsSync(file));

/**
 * Sets up what Postgres alone can do with the reference's create as one function, called by pgbench.
 * @returns runs it once and answers creates per second; undefined where there is no pgbench
 */
export const postgresAlone = async (environment: Environment, databaseUrl: string, dataset: Dataset) => {
  const program = pgbench();
  if (!program) return undefined;
  await runStatements(databaseUrl, [readFileSync(join(import.meta.dirname, 'reference/create.sql'), 'utf8')]);
  const script = join(environment.folder, 'create.pgbench');
  const call = `select create_card('${environment.workspace}', '${environment.user}', '${dataset.column}', '${dataset.workstreams[0]}');`;
  writeFileSync(script, call);
  return async (clients: number, seconds: number): Promise<number> => {
    const threads = String(Math.min(clients, 2));
    const child = spawn(
      program,
      ['-n', '-M', 'prepared', '-c', String(clients), '-j', threads, '-T', String(seconds), '-f', script, databaseUrl],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    await once(child, 'close');
    const found = /tps = ([\d.]+) \(without initial/.exec(output) ?? /tps = ([\d.]+)/.exec(output);
    if (!found) throw new Error(`pgbench failed: ${output}`);
    return Number(found[1]);
  };
};
