import { createHash } from 'node:crypto';
import type { Issue } from '../issue.ts';

/** A key that can be adopted. */
export interface Identity {
  /** In its canonical form, upper case. */
  key: string;
  prefix: string;
  number: number;
}

const sha256 = (content: unknown) => createHash('sha256').update(JSON.stringify(content)).digest();

/** A content's fingerprint, the same in every run. */
export const fingerprint = (content: unknown): string => sha256(content).toString('hex', 0, 16);

/** The idempotency key of what an import makes. */
export const keyOf = (...parts: (string | number)[]): string => `import-${sha256(parts).toString('hex')}`;

/** 48 bits of what an issue says, wherever it stands: a number, as there is one for each row in memory. */
export const issueFingerprint = ({ place: _, ...content }: Issue): number => sha256(content).readUIntBE(0, 6);
