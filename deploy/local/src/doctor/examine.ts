import { setTimeout as pause } from 'node:timers/promises';
import type { Check, Difference } from './check.ts';
import { reasonOf } from './reason.ts';
import type { Sources } from './sources.ts';

/** What one check found. */
export interface Finding {
  check: Check;
  differences: Difference[];
}

const pauseMs = 500;

/**
 * Looks at everything. While a stack works its databases differ for moments, so only what is the same at every look
 * until the patience ends counts as a difference.
 * @param patienceMs how long to look again where something differs, in milliseconds
 */
export const examine = async (checks: readonly Check[], sources: Sources, patienceMs: number): Promise<Finding[]> => {
  const end = performance.now() + patienceMs;
  const findings: Finding[] = [];
  for (const check of checks) findings.push({ check, differences: await look(check, sources) });
  while (findings.some(isDirty) && performance.now() < end) {
    await pause(pauseMs);
    for (const finding of findings.filter(isDirty)) await lookAgain(finding, sources);
  }
  return findings;
};

const isDirty = ({ differences }: Finding) => differences.length > 0;

const lookAgain = async (finding: Finding, sources: Sources): Promise<void> => {
  const before = new Set(finding.differences.map(({ what }) => what));
  finding.differences = (await look(finding.check, sources)).filter(({ what }) => before.has(what));
};

/** Each difference once. What cannot be looked at is not known to be in order. */
const look = async (check: Check, sources: Sources): Promise<Difference[]> => {
  try {
    const differences = await check.look(sources);
    return [...new Map(differences.map((difference) => [difference.what, difference])).values()];
  } catch (error) {
    return [{ what: `could not be looked at: ${reasonOf(error)}` }];
  }
};
