import type { FieldIssue } from '@cardinal/contracts';
import type { z } from 'zod';

/** A body can break a rule in more places than anyone reads. */
const most = 50;

/** What zod found, as the `details` of an error: one entry a broken field, also for each unknown one. */
export const fieldIssues = (error: z.core.$ZodError): FieldIssue[] =>
  error.issues
    .flatMap((issue): FieldIssue[] => {
      const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
      if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
      return issue.keys.slice(0, most).map((key) => ({ path: [...path, key], message: 'unknown field' }));
    })
    .slice(0, most);

/** The same in one line. */
export const issuesInWords = (issues: FieldIssue[]): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ');
