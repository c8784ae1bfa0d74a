import type { Bug } from './bugs.ts';
import { type Outcome, runChaos } from './run.ts';
import type { System } from './system.ts';

/** How a bug was found, or not. */
export interface Find {
  bug: Bug;
  /** From the moment when everything was ready to the verdict, all rounds together. */
  seconds: number;
  requests: number;
  /** The promises that were seen broken; none where it was not found. */
  rules: string[];
}

export interface FindOptions {
  seed: number;
  rate: number;
  /** Starts a system that has the bug. */
  start: (bug: Bug) => Promise<System>;
  tell: (line: string) => void;
}

/** How long faults are injected in each round, in minutes: most bugs show in the first one. */
const rounds = [0.3, 1];

/** Runs a system that has a bug until a promise is broken, each round with the next seed; at most two rounds. */
export const findBug = async (bug: Bug, { seed, rate, start, tell }: FindOptions): Promise<Find> => {
  let [seconds, requests] = [0, 0];
  for (const [at, minutes] of rounds.entries()) {
    const system = await start(bug);
    try {
      const kinds = bug.faults ?? Object.keys(system.faults);
      const begun = performance.now();
      const options = { system, seed: seed + at, minutes, kinds, rate, tell: () => {}, watch: () => {} };
      const { history, verdicts } = await runChaos(options);
      seconds += (performance.now() - begun) / 1_000;
      requests += history.exchanges.length;
      const rules = brokenIn(verdicts);
      tell(`${bug.name}, seed ${seed + at}: ${rules.length > 0 ? `found, ${rules.join('; ')}` : 'not seen yet'}`);
      if (rules.length > 0) return { bug, seconds, requests, rules };
    } finally {
      await system.stop();
    }
  }
  return { bug, seconds, requests, rules: [] };
};

const brokenIn = (verdicts: Outcome['verdicts']) =>
  verdicts.filter(({ violations }) => violations.length > 0).map(({ rule }) => rule);

/** The finds as a Markdown table. */
export const tableOf = (finds: readonly Find[]): string =>
  [
    '| bug | what is wrong with it | found after | requests | by |',
    '| --- | --- | ---: | ---: | --- |',
    ...finds.map(({ bug, seconds, requests, rules }) => {
      const found = rules.length > 0 ? `${seconds.toFixed(0)} s` : `not within ${seconds.toFixed(0)} s`;
      return `| \`${bug.name}\` | ${bug.mistake} | ${found} | ${requests} | ${rules.join('; ')} |`;
    }),
  ].join('\n');
