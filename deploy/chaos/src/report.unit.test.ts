import { describe, expect, it } from 'vitest';
import { card, created, fault, historyOf, readCard } from '../test/histories.ts';
import { oneCard } from './checks/identifiers.ts';
import { failure, figures, progress } from './report.ts';

const a = card('a', 1, 'PAY-1');
const late = { ...readCard([0, 9_000], a), gateway: 'gateway-2' };
const lost = { operation: 'getCard', at: [3, 4] as [number, number] };
const history = historyOf(
  [created([0, 1], a), readCard([2, 40], card('b', 4, 'PAY-1')), lost, late],
  [fault(1, 5, 'gateway-2')],
);
const verdict = { rule: oneCard.rule, ...oneCard.check(history) };

describe('the report of a run', () => {
  it('counts requests by operation and outcome, faults by kind, and cases by rule', () => {
    const lines = figures(history, [verdict, { rule: 'other', looked: 0, violations: [] }]).split('\n');
    expect(lines[0]).toBe('seed 1: 4 requests (200 2, 201 1, lost 1), 1 faults');
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}getCard +3 +200 2, lost 1$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}kill +1 /));
    expect(lines).toContainEqual(expect.stringMatching(/an identifier names one card: BROKEN 1 times$/));
  });

  it('names rules without cases', () => {
    expect(figures(history, [{ rule: 'other', looked: 0, violations: [] }])).toContain('other: NEVER LOOKED AT');
  });

  it('takes the longest answer only of gateways that no fault hit', () => {
    expect(figures(history, [])).toContain('the longest answer took 0.0 s: GET /cards/b');
  });

  it('shows a failure line by line, with the faults and the commands that repeat it', () => {
    const [violation] = verdict.violations;
    if (!violation) throw new Error('nothing is broken');
    const lines = failure(verdict.rule, violation, history, ['npm run chaos -- --seed 1']).split('\n');
    expect(lines[1]).toBe('  PAY-1 names card a and card b');
    expect(lines).toContainEqual(
      expect.stringContaining('#0 +0.000 s client 0 to gateway-1: POST /columns/c/cards key a'),
    );
    expect(lines).toContainEqual(expect.stringContaining('no answer after 1 ms: socket hang up'));
    expect(lines).toContainEqual(expect.stringContaining('kill of gateway-2 (SIGKILL)'));
    expect(lines.at(-1)).toBe('  npm run chaos -- --seed 1');
  });

  it('formats the progress of a run', () => {
    expect(progress(history)).toBe('4 requests, 1 faults ended; of the last: 200 2, 201 1, lost 1');
  });
});
