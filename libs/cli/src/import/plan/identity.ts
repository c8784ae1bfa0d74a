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

/** The fingerprint of a content; stable across runs. */
export const fingerprint = (content: unknown): string => sha256(content).toString('hex', 0, 16);

/** The idempotency key of a resource that an import creates. */
export const keyOf = (...parts: (string | number)[]): string => `import-${sha256(parts).toString('hex')}`;

/** 48 bits of a hash of an issue's content, as a number: there is one in memory for each row. */
export const issueFingerprint = ({ place: _, started_at: __, ...content }: Issue): number =>
  sha256(content).readUIntBE(0, 6);
