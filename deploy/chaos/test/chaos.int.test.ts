import { join } from 'node:path';
import { atEndOfFile, rounds, scratchFolder } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { inTime } from '../src/checks/answers.ts';
import { dense } from '../src/checks/numbers.ts';
import type { Violation } from '../src/history.ts';
import { startProcesses } from '../src/processes.ts';
import { failure } from '../src/report.ts';
import { type RunOptions, runChaos } from '../src/run.ts';
import { shrink } from '../src/shrink.ts';

const start = async (options: { instances: number; bug?: string }) => {
  const system = await startProcesses({ ...options, logs: join(scratchFolder('chaos'), 'logs') });
  atEndOfFile(system.stop);
  return (run: Omit<RunOptions, 'system' | 'report' | 'watch'>) =>
    runChaos({ system, ...run, report: () => {}, watch: () => {} });
};

/** In this test the time of an answer only shows how busy the machine is. */
const isJudged = ({ rule }: { rule: string }) => rule !== inTime.rule;

it('finds no broken rule while an instance dies, a database hangs up and the bus loses messages', async () => {
  // With this seed, all three come at once, and none lasts longer than five seconds; with one instance of each service they
  // hit those that issue numbers.
  const kinds = ['kill', 'bus-dropped', 'backends-terminated'];
  const run = await start({ instances: rounds(2, 1) });
  const { history, verdicts } = await run({ seed: 31392, minutes: 0.1, kinds, rate: 15 });
  expect(verdicts.filter(isJudged).flatMap(({ violations }) => violations)).toEqual([]);
  expect(history.faults.map(({ kind }) => kind).sort()).toEqual(kinds.toSorted());
  expect(verdicts.find(({ rule }) => rule === dense.rule)?.looked).toBeGreaterThan(0);
});

it.runIf(rounds(1, 0) > 0)('finds a planted bug, and shows it by a short history of the seed', async () => {
  const run = await start({ instances: 1, bug: 'counter-apart' });
  const broken = async (seed: number) => {
    // The history shows the gap, so the test does not wait until the services agree.
    const { history, verdicts } = await run({ seed, minutes: 0.1, kinds: [], rate: 40, quietMs: 0 });
    const [violation] = verdicts.find(({ rule }) => rule === dense.rule)?.violations ?? [];
    return { history, violation };
  };
  let found = await broken(1);
  // On a busy machine, requests of slow clients may not have met.
  while (!found.violation && found.history.seed < 10) found = await broken(found.history.seed + 1);
  const { history, violation } = found;
  expect(violation?.message).toMatch(/\d+ numbers are missing/);
  const shrunk = shrink(history, dense);
  expect(shrunk.exchanges.length).toBeLessThan(history.exchanges.length / 3);
  expect(failure(dense.rule, violation as Violation, shrunk, [])).toContain(
    `seed ${history.seed}, ${shrunk.exchanges.length} requests that show it`,
  );
});
