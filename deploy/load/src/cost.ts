import { readFileSync } from 'node:fs';
import { runStatements } from '@cardinal/servers';
import type { Environment, System } from './systems.ts';

/** Of Linux, which counts CPU time in hundredths of a second everywhere that Node runs. */
const millisecondsATick = 10;

/** CPU milliseconds and resident bytes of a process until now; zeros where the system does not tell. */
const usageOf = (pid: number) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields 14 and 15 (proc(5)), counted from behind the name, which may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0;
    return { cpuMs: (Number(fields[11]) + Number(fields[12])) * millisecondsATick, rssBytes: Number(rss) * 1024 };
  } catch {
    return { cpuMs: 0, rssBytes: 0 };
  }
};

/** CPU time of the backends of a database is gone with them, so it is read from the server's whole tree of processes. */
const childrenOf = (pid: number): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};

/** CPU milliseconds by name of process since the process began, the load generator's own among them. */
export const cpuOf = (environment: Environment, system: System): Record<string, number> => {
  const total: Record<string, number> = {
    'load generator': process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
  };
  const add = (name: string, pid: number) => {
    total[name] = (total[name] ?? 0) + usageOf(pid).cpuMs;
  };
  for (const { name, pid } of system.processes()) add(name, pid);
  for (const pid of [environment.postgres.pid, ...childrenOf(environment.postgres.pid)]) add('postgres', pid);
  return total;
};

/** Resident bytes by name of process. */
export const memoryOf = (system: System): Record<string, number> =>
  Object.fromEntries(system.processes().map(({ name, pid }) => [name, usageOf(pid).rssBytes]));

/** Statements that all databases ran since the last call, the transactions' own included. */
export const statementsSince = async (environment: Environment): Promise<number> => {
  const [row] = (await runStatements(environment.postgres.url, [
    'create extension if not exists pg_stat_statements',
    `select coalesce(sum(calls), 0)::float8 as calls from pg_stat_statements where query not like '%pg_stat_statements%'`,
  ])) as { calls: number }[];
  await runStatements(environment.postgres.url, ['select pg_stat_statements_reset()']);
  return row?.calls ?? 0;
};
