import { describe, expect, it } from 'vitest';
import { type Difference, examine } from './examine.ts';
import type { Sources } from './sources.ts';

const sources = {} as Sources;
const row = (what: string): Difference => ({ key: 'row', what });

/** Examines a check with the given results, one a look; the last one repeats. @returns the findings */
const outcome = async (looks: (Difference[] | Error)[], patienceMs = 0) => {
  let at = 0;
  const look = async () => {
    const found = looks[Math.min(at, looks.length - 1)] ?? [];
    at += 1;
    if (found instanceof Error) throw found;
    return found;
  };
  const [finding] = await examine([{ name: 'rule', look }], sources, patienceMs, 2);
  return { counts: finding?.differences.map(({ what }) => what), looks: at };
};

describe('examine', () => {
  it('counts what later looks find unchanged', async () => {
    expect((await outcome([[row('a')]])).counts).toEqual(['a']);
  });

  it('counts nothing that only the first pass saw, however short the patience', async () => {
    expect(await outcome([[row('a')], []])).toEqual({ counts: [], looks: 2 });
  });

  it('looks for as long as the patience, counted from the look after the first pass', async () => {
    const patient = await outcome([[row('a')]], 20);
    expect(patient.counts).toEqual(['a']);
    expect(patient.looks).toBeGreaterThan(2);
  });

  it('looks again at what has changed, and counts it once it stays', async () => {
    expect((await outcome([[row('a')], [row('b')], [row('c')], [row('c')]], 1)).counts).toEqual(['c']);
    expect((await outcome([[row('a')], [row('b')], []], 1)).counts).toEqual([]);
  });

  it('leaves new differences to the next examination', async () => {
    expect((await outcome([[row('a')], [row('a'), { what: 'new' }]])).counts).toEqual(['a']);
  });

  it('takes for different what it cannot look at, and nothing for in order that it could not see', async () => {
    expect((await outcome([new Error('no')])).counts).toEqual(['could not be looked at: no']);
    expect((await outcome([new Error('no'), [row('a')]])).counts).toEqual(['a']);
    expect((await outcome([[row('a')], new Error('no'), [row('a')]], 1)).counts).toEqual(['a']);
  });
});
