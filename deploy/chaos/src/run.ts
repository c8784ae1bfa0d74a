import { judge } from './checks/index.ts';
import { underLoad } from './clients.ts';
import { startFollowers } from './followers.ts';
import type { Exchange, History, InjectedFault } from './history.ts';
import { randomOf } from './random.ts';
import type { Verdict } from './report.ts';
import { injectFaults } from './schedule.ts';
import { settle } from './settle.ts';
import type { System } from './system.ts';

export interface RunOptions {
  system: System;
  seed: number;
  minutes: number;
  /** Kinds of faults; an empty list is a run without faults. */
  kinds: readonly string[];
  /** Requests a second of all clients together. */
  rate: number;
  report: (line: string) => void;
  /** Called once a second with the history so far. */
  watch: (history: History) => void;
  /** How long projections and the ledger may take to catch up at the end, ms; 30 s by default. */
  quietMs?: number;
}

/** The result of a run. */
export interface Outcome {
  history: History;
  /** The results of all rules: on the history, on the recovery from faults, and on the final state. */
  verdicts: Verdict[];
}

const watchEveryMs = 1_000;

/** Runs the load and injects faults until the time is over and all faults have ended; then judges the history. */
export const runChaos = async (options: RunOptions): Promise<Outcome> => {
  const { system, seed, minutes, kinds, rate, report, watch, quietMs = 30_000 } = options;
  const exchanges: Exchange[] = [];
  const faults: InjectedFault[] = [];
  const secrets = new Set<string>();
  const followers = startFollowers(system, secrets);
  const history = { seed, exchanges, faults, follows: followers.follows };
  const record = (exchange: Omit<Exchange, 'id'>) => void exchanges.push({ id: exchanges.length, ...exchange });
  const watching = setInterval(() => watch(history), watchEveryMs);
  try {
    const recovered = await underLoad({ system, seed, rate, record, secrets, begin: followers.follow }, () =>
      injectFaults({
        system,
        random: randomOf(seed).fork('faults'),
        kinds,
        until: performance.now() + minutes * 60_000,
        record: (fault) => faults.push(fault),
        report,
      }),
    );
    report('all faults have ended: waiting until nothing is under way');
    const settled = await settle(system, history, quietMs);
    await followers.finish(quietMs);
    report(`judging ${exchanges.length} requests`);
    const crashes = system.crashes();
    const verdicts = [
      ...judge(history),
      { rule: 'the system recovers by itself', looked: faults.length, violations: recovered },
      { rule: 'no process ends by itself', looked: faults.length, violations: crashes },
      { rule: 'the services agree when nothing is under way', ...settled },
    ];
    return { history, verdicts };
  } finally {
    clearInterval(watching);
    await followers.stop();
  }
};
