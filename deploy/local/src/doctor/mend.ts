import { mostDifferences } from './compare.ts';
import { examine, type Finding } from './examine.ts';
import { reasonOf } from './reason.ts';
import type { Sources } from './sources.ts';

/** A foreign key of the copy forbids it: another row speaks of what the owner does not know. */
const isStillNamed = (error: unknown) => (error as { code?: string }).code === '23503';

/** What became of a repair. */
export interface Repair {
  /** Differences that were tried. */
  tried: number;
  /** Those that could not be mended, and why. */
  failures: string[];
}

/** Mends what can be mended; what fails stands in nobody else's way. */
export const mendAll = async (findings: readonly Finding[]): Promise<Repair> => {
  const repair: Repair = { tried: 0, failures: [] };
  for (const { what, mend } of findings.flatMap(({ differences }) => differences)) {
    if (!mend) continue;
    repair.tried += 1;
    try {
      await mend();
    } catch (error) {
      if (!isStillNamed(error)) repair.failures.push(`${what}: ${reasonOf(error)}`);
    }
  }
  return repair;
};

const first = ({ differences }: Finding) => differences[0]?.what;

/**
 * Mends what was found, and then what the bound of a look left out, look by look, while that helps.
 * @param progress receives how many were tried so far, before each further look
 */
export const mendMore = async (
  findings: readonly Finding[],
  sources: Sources,
  progress: (tried: number) => void,
): Promise<Repair> => {
  const repair = await mendAll(findings);
  let full = findings.filter(({ differences }) => differences.length >= mostDifferences);
  while (full.length > 0) {
    progress(repair.tried);
    const before = new Map(full.map((finding) => [finding.check, first(finding)]));
    const found = await examine([...before.keys()], sources, 0);
    const helped = found.filter((finding) => first(finding) !== before.get(finding.check));
    const { tried, failures } = await mendAll(helped);
    repair.tried += tried;
    repair.failures.push(...failures);
    full = helped.filter(({ differences }) => differences.length >= mostDifferences);
  }
  return repair;
};
