import { fireCounting, statementsSince } from './cost.ts';
import { fire, type Leg } from './load.ts';
import type { PathName, Paths } from './paths.ts';
import type { Environment, System } from './systems.ts';

interface Subject {
  system: System;
  paths: Paths;
}

/** What all rounds of one path with one number of clients showed. */
export interface Finding {
  path: PathName;
  clients: number;
  cardinal: Leg[];
  reference: Leg[];
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
 * Measures both systems side by side: in each round every path and number of clients, one system right after the other,
 * the first one alternating, so other load on the machine affects both alike.
 * @param alone creates by Postgres alone
 */
export const measure = async (
  [cardinal, reference]: readonly [Subject, Subject],
  alone: ((clients: number, seconds: number) => Promise<number>) | undefined,
  plan: Plan,
  log: (line: string) => void,
): Promise<Finding[]> => {
  const findings: Finding[] = plan.paths.flatMap((path) =>
    plan.clients.map((clients) => ({ path, clients, cardinal: [], reference: [], postgres: [] })),
  );
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const finding of findings) {
      const { path, clients } = finding;
      for (const { system, paths } of round % 2 === 0 ? [cardinal, reference] : [reference, cardinal]) {
        const leg = await fire(system, { clients, seconds: plan.seconds, next: paths.next[path] });
        finding[system.name].push(leg);
      }
      if (alone && path === 'create, one workstream') finding.postgres.push(await alone(clients, plan.seconds));
      const [mine, theirs] = [finding.cardinal.at(-1) as Leg, finding.reference.at(-1) as Leg];
      const rates = `${mine.perSecond.toFixed(0)}/s, reference ${theirs.perSecond.toFixed(0)}/s`;
      const ratio = (mine.perSecond / theirs.perSecond).toFixed(2);
      const where = `round ${round + 1}/${plan.rounds}  ${path}, ${clients} clients`;
      log(`${where}: ${rates}, ratio ${ratio}${failuresOf(mine, theirs)}`);
    }
  }
  return findings;
};

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
      const load = { clients, seconds, next: paths.next[path] };
      const { requests, cpuMs } = await fireCounting(environment, system, load);
      const statements = (await statementsSince(environment)) / requests;
      costs.push({ path, system: system.name, statements, cpuMs });
    }
  }
  return costs;
};
