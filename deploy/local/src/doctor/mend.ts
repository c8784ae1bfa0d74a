import type { Finding } from './examine.ts';
import { reasonOf } from './reason.ts';

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
