import { setTimeout as pause } from 'node:timers/promises';
import { readIfThere, runStatements } from '@cardinal/servers';
import { fire, type Leg, type Load } from './load.ts';
import type { Environment, System } from './systems.ts';
import { fireWithWrk, wrk } from './wrk.ts';

/** Of Linux, which counts CPU time in hundredths of a second everywhere that Node runs. */
const millisecondsATick = 10;

/** CPU milliseconds and resident bytes of a process until now; zeros where the system does not report them. */
const usageOf = (pid: number) => {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // Fields 14 to 17 (proc(5)): its own time, and that of its children that ended, as a server's connections do. They are
  // counted from behind the name, which may hold spaces and brackets.
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  const rss = /VmRSS:\s+(\d+) kB/.exec(readIfThere(`/proc/${pid}/status`))?.[1] ?? 0;
  const spent = ticks.reduce((sum, one) => sum + Number(one), 0);
  return { cpuMs: spent * millisecondsATick, rssBytes: Number(rss) * 1024 };
};

/** CPU time of the backends of a database is gone with them, so it is read from the server's whole tree of processes. */
const childrenOf = (pid: number): number[] =>
  readIfThere(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);

/** The name of what sends the requests. */
export const generator = 'load generator';

/** CPU milliseconds by name of process since the process began. */
const cpuOf = ({ postgres }: Environment, system: System): Record<string, number> => {
  const total: Record<string, number> = {};
  const servers = [postgres.pid, ...childrenOf(postgres.pid)].map((pid) => ({ name: 'postgres', pid }));
  for (const { name, pid } of [...system.processes(), ...servers]) {
    total[name] = (total[name] ?? 0) + usageOf(pid).cpuMs;
  }
  return total;
};

const fireLeg = (system: System, load: Load): Promise<Leg> =>
  wrk && load.isAhead ? fireWithWrk(wrk, system, load) : fire(system, load);

/** Fires a leg at a system. @returns what it showed, with the CPU milliseconds that a request took by name of process */
export const fireCounting = (environment: Environment, system: System, load: Load) =>
  counting(environment, system, () => fireLeg(system, load));

/** An idle system: CPU milliseconds of its processes in one look, and how long a look takes, ms. */
const [idleCpuMs, lookMs] = [25, 250];
/** The longest wait for a system to become idle, ms. */
const longestRestMs = 3_000;

/**
 * Fires a leg as `fireCounting` does, and waits until the system has done what its answers left behind, such as filling
 * the log. That CPU time counts, and the next leg does not run beside it.
 */
export const fireUntilIdle = (environment: Environment, system: System, load: Load) =>
  counting(environment, system, async () => {
    const leg = await fireLeg(system, load);
    const spent = () => Object.values(cpuOf(environment, system)).reduce((sum, ms) => sum + ms, 0);
    const end = performance.now() + longestRestMs;
    let [isIdle, before] = [false, spent()];
    while (!isIdle && performance.now() < end) {
      await pause(lookMs);
      const now = spent();
      isIdle = now - before < idleCpuMs;
      before = now;
    }
    return leg;
  });

/** Runs a leg and counts the CPU milliseconds a request of each process. */
export const counting = async (environment: Environment, system: System, run: () => Promise<Leg>) => {
  const before = cpuOf(environment, system);
  const leg = await run();
  const after = Object.entries(cpuOf(environment, system));
  const ofSystem = after.map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / leg.requests]);
  const cpuMs: Record<string, number> = Object.fromEntries([...ofSystem, [generator, leg.generatorMs / leg.requests]]);
  return { ...leg, cpuMs };
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
