import type { Finding } from './examine.ts';

/** A foreign key of the copy forbids it: another row speaks of what the owner does not know. */
const isStillNamed = (error: unknown) => (error as { code?: string }).code === '23503';

/** Mends what can be mended and answers how many differences that was tried on. */
export const mendAll = async (findings: readonly Finding[]): Promise<number> => {
  let tried = 0;
  for (const { mend } of findings.flatMap(({ differences }) => differences)) {
    if (!mend) continue;
    tried += 1;
    await mend().catch((error) => {
      if (!isStillNamed(error)) throw error;
    });
  }
  return tried;
};
