import { fireUntilIdle, generator, statementsSince } from './cost.ts';
import type { Leg } from './load.ts';
import { isAhead, type PathName, type Paths } from './paths.ts';
import type { Environment, System, SystemName } from './systems.ts';

export interface Subject {
  system: System;
  paths: Paths;
}

/** A leg, with the CPU milliseconds that a request took by name of process. */
export type CountedLeg = Leg & { cpuMs: Record<string, number> };

/** What all rounds of one path with one number of clients showed. */
export interface Finding {
  path: PathName;
  clients: number;
  legs: Record<SystemName, CountedLeg[]>;
  /** Creates per second of Postgres alone, for the path that it was measured on. */
  postgres: number[];
}

interface Plan {
  rounds: number;
  seconds: number;
  clients: number[];
  paths: PathName[];
}

/**
 * Measures the systems side by side: in each round every path and number of clients, one system right after the other,
 * each of them first in one round, so other load on the machine affects all alike.
 * @param alone creates by Postgres alone
 */
export const measure = async (
  environment: Environment,
  subjects: readonly Subject[],
  alone: ((clients: number, seconds: number) => Promise<number>) | undefined,
  plan: Plan,
  log: (line: string) => void,
): Promise<Finding[]> => {
  const findings: Finding[] = plan.paths.flatMap((path) =>
    plan.clients.map((clients) => ({
      path,
      clients,
      legs: { together: [], apart: [], reference: [], release: [] },
      postgres: [],
    })),
  );
  for (let round = 0; round < plan.rounds; round += 1) {
    const first = round % subjects.length;
    for (const finding of findings) {
      const { path, clients, legs } = finding;
      for (const { system, paths } of [...subjects.slice(first), ...subjects.slice(0, first)]) {
        const load = { clients, seconds: plan.seconds, next: paths.next[path], isAhead: isAhead(path) };
        legs[system.name].push(await fireUntilIdle(environment, system, load));
      }
      if (alone && path === 'create, one workstream') finding.postgres.push(await alone(clients, plan.seconds));
      const last = subjects.map(({ system: { name } }) => ({ name, leg: legs[name].at(-1) as CountedLeg }));
      const rates = last.map(
        ({ name, leg }) => `${name} ${leg.perSecond.toFixed(0)}/s ${cpuOf(leg).toFixed(2)} CPU ms`,
      );
      const where = `round ${round + 1}/${plan.rounds}  ${path}, ${clients} clients`;
      log(`${where}: ${rates.join(', ')}${failuresOf(...last.map(({ leg }) => leg))}`);
    }
  }
  return findings;
};

/** CPU milliseconds that a request took in all processes but the load generator. */
export const cpuOf = ({ cpuMs }: Pick<CountedLeg, 'cpuMs'>): number =>
  Object.entries(cpuMs).reduce((sum, [name, ms]) => (name === generator ? sum : sum + ms), 0);

const failuresOf = (...legs: Leg[]) => {
  const failed = legs.flatMap(({ failures }) => Object.entries(failures));
  return failed.length > 0 ? `  FAILED ${failed.map(([reason, count]) => `${count} x ${reason}`).join(', ')}` : '';
};

export type Cost = Awaited<ReturnType<typeof measureCosts>>[number];

/** Statements and CPU time per request of each path; a leg of its own for each, as counting has its price. */
export const measureCosts = async (environment: Environment, subjects: readonly Subject[], plan: Plan) => {
  const [clients, seconds] = [Math.max(...plan.clients), plan.seconds];
  const costs = [];
  for (const path of plan.paths) {
    for (const { system, paths } of subjects) {
      await statementsSince(environment);
      const load = { clients, seconds, next: paths.next[path], isAhead: isAhead(path) };
      const { requests, cpuMs } = await fireUntilIdle(environment, system, load);
      const statements = (await statementsSince(environment)) / requests;
      costs.push({ path, system: system.name, statements, cpuMs });
    }
  }
  return costs;
};
