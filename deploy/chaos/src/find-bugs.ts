import type { Bug } from './bugs.ts';
import { type RollingOptions, roll } from './rolling.ts';
import { runChaos } from './run.ts';
import type { System } from './system.ts';

/** How a bug was found, or not. */
export interface Find {
  bug: Bug;
  /** The time from readiness to the verdict, summed over all rounds. */
  seconds: number;
  requests: number;
  /** The broken rules; empty if the bug was not found. */
  rules: string[];
}

export interface FindOptions {
  seed: number;
  rate: number;
  /** Starts a system that has the bug. */
  start: (bug: Bug) => Promise<System>;
  report: (line: string) => void;
}

/** How long faults are injected in each round, in minutes. Most bugs are found in the first round. */
const rounds = [0.4, 0.8];

/** Runs a system that has a bug until a rule is broken, each round with the next seed; at most two rounds. */
export const findBug = async (bug: Bug, { seed, rate, start, report }: FindOptions): Promise<Find> => {
  let [seconds, requests] = [0, 0];
  for (const [at, minutes] of rounds.entries()) {
    const system = await start(bug);
    try {
      const begun = performance.now();
      const round = { system, seed: seed + at, rate, report };
      const { sent, rules } = bug.isSeenRolling
        ? await rollOnce(round)
        : await injectFaults(bug, { ...round, minutes });
      seconds += (performance.now() - begun) / 1_000;
      requests += sent;
      report(`${bug.name}, seed ${seed + at}: ${rules.length > 0 ? `found, ${rules.join('; ')}` : 'not found yet'}`);
      if (rules.length > 0) return { bug, seconds, requests, rules };
    } finally {
      await system.stop();
    }
  }
  return { bug, seconds, requests, rules: [] };
};

type Round = Omit<RollingOptions, 'rounds'>;

const rollOnce = async (round: Round) => {
  const { requests, failed } = await roll({ ...round, rounds: 1 });
  return { sent: requests, rules: failed.length > 0 ? ['no request fails during a rolling restart'] : [] };
};

const injectFaults = async (bug: Bug, round: Round & { minutes: number }) => {
  const kinds = bug.faults ?? Object.keys(round.system.faults);
  const { history, verdicts } = await runChaos({ ...round, kinds, report: () => {}, watch: () => {} });
  const broken = verdicts.filter(({ violations }) => violations.length > 0);
  for (const { rule, violations } of broken) round.report(`${rule}: ${violations[0]?.message}`);
  return { sent: history.exchanges.length, rules: broken.map(({ rule }) => rule) };
};

/** Formats the finds as a Markdown table. */
export const tableOf = (finds: readonly Find[]): string =>
  [
    '| bug | what is wrong with it | found after | requests | by |',
    '| --- | --- | ---: | ---: | --- |',
    ...finds.map(({ bug, seconds, requests, rules }) => {
      const found = rules.length > 0 ? `${seconds.toFixed(0)} s` : `not within ${seconds.toFixed(0)} s`;
      return `| \`${bug.name}\` | ${bug.mistake} | ${found} | ${requests} | ${rules.join('; ')} |`;
    }),
  ].join('\n');
