import { createHash } from 'node:crypto';
import { createCardBody, createLabelBody, parseIdentifier } from '@cardinal/contracts';
import type { Issue } from '../issue.ts';

/** A key that can be adopted. */
export interface Identity {
  /** In its canonical form, upper case. */
  key: string;
  prefix: string;
  number: number;
}

/** The default workstream numbers its cards itself and never adopts. */
const neverAdopts = 'MAIN';
/** The highest number that can be adopted. */
const highestNumber = 999_999_999_999;

/** The identifier that a tracker's key becomes; undefined where it cannot be one. */
export const identityOf = (key: string): Identity | undefined => {
  const parsed = parseIdentifier(key);
  if (!parsed || parsed.prefix === neverAdopts || parsed.number > highestNumber) return undefined;
  return { key: `${parsed.prefix}-${parsed.number}`, ...parsed };
};

const sha256 = (content: unknown) => createHash('sha256').update(JSON.stringify(content)).digest();

/** A content's fingerprint, the same in every run. */
export const fingerprint = (content: unknown): string => sha256(content).toString('hex', 0, 16);

/** The idempotency key of what an import makes. */
export const keyOf = (...parts: (string | number)[]): string => `import-${sha256(parts).toString('hex')}`;

/** 48 bits of what an issue says, wherever it stands: a number, as there is one for each row in memory. */
export const issueFingerprint = ({ place: _, ...content }: Issue): number => sha256(content).readUIntBE(0, 6);

const most = 100;
export const longestTitle = 240;
export const longestText = 20_000;

const { title, description } = createCardBody.shape;
const label = createLabelBody.shape.name;

const firstProblem = (field: string, result: { error?: { issues: { message: string }[] } }) =>
  result.error ? `${field} ${result.error.issues.map(({ message }) => message).join('; ')}` : undefined;

/** What the API would refuse of an issue, in a line; undefined where it would refuse nothing. */
export const problemOf = (issue: Issue): string | undefined => {
  const problem =
    firstProblem('title', title.safeParse(issue.title)) ??
    (issue.description === null ? undefined : firstProblem('description', description.safeParse(issue.description)));
  if (problem) return problem;
  for (const name of issue.labels) {
    const wrong = firstProblem(`label "${name.slice(0, 40)}"`, label.safeParse(name));
    if (wrong) return wrong;
  }
  if (issue.created_at !== null && issue.created_at < '1970') return 'it was created before 1970';
  if (issue.labels.length > most) return `${issue.labels.length} labels; a card has at most ${most}`;
  if (issue.assignees.length > most) return `${issue.assignees.length} assignees; a card has at most ${most}`;
  return undefined;
};

/** Cuts a text to at most `max` code points, the last one an ellipsis where something was cut. */
export const shorten = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const points = [...text];
  if (points.length <= max) return text;
  return `${points
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
};

/** A text in pieces of at most `max` code points. */
export const pieces = (text: string, max: number): string[] => {
  if (text.length <= max) return [text];
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / max) }, (_, n) =>
    points.slice(n * max, (n + 1) * max).join(''),
  );
};
