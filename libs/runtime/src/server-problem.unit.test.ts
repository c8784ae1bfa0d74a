import { describe, expect, it } from 'vitest';
import { ServerProblem, untilUsable } from './server-problem.ts';

/** Fails with each problem in order, then succeeds. */
const failing = (...problems: Error[]) => {
  let calls = 0;
  const check = async () => {
    const problem = problems[calls];
    calls += 1;
    if (problem) throw problem;
  };
  return { check, calls: () => calls };
};
const starting = new ServerProblem('starting', 'DATABASE_URL: starting');
const wrong = new ServerProblem('wrong', 'DATABASE_URL: wrong');

describe('untilUsable', () => {
  it('waits for problems that may pass, and reports each once', async () => {
    const reported: string[] = [];
    const { check, calls } = failing(starting, starting, new ServerProblem('away', 'DATABASE_URL: away'));
    await untilUsable(check, {
      kinds: ['starting', 'away'],
      patienceMs: 60_000,
      report: (line) => reported.push(line),
    });
    expect(reported).toEqual(['DATABASE_URL: starting', 'DATABASE_URL: away']);
    expect(calls()).toBe(4);
  });

  it.each([
    ['waiting cannot help', 60_000, wrong],
    ['the time is over', 0, starting],
    ['it is no problem of the server', 60_000, new TypeError('no')],
  ])('throws where %s', async (_, patienceMs, problem) => {
    const { check, calls } = failing(problem);
    await expect(untilUsable(check, { kinds: ['starting'], patienceMs, report: () => {} })).rejects.toBe(problem);
    expect(calls()).toBe(1);
  });
});
