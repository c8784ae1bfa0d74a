import type { FieldIssue } from '@cardinal/contracts';
import type { z } from 'zod';

/** A body can break a rule in more places than anyone reads. */
const most = 50;

/** A field's name can be as long as the body: its first 100 characters tell which it is. */
const cut = (key: string) => Array.from(key.slice(0, 200).toWellFormed()).slice(0, 100).join('');

/**
 * What zod found, as the `details` of an error: one entry a broken field, also for each unknown one, of which its first
 * 100 characters are shown; 50 entries at most.
 */
export const fieldIssues = (error: z.core.$ZodError): FieldIssue[] =>
  error.issues
    .flatMap((issue): FieldIssue[] => {
      const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
      if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
      return issue.keys.slice(0, most).map((key) => ({ path: [...path, cut(key)], message: 'unknown field' }));
    })
    .slice(0, most);

/** The same in one line. */
export const issuesInWords = (issues: FieldIssue[]): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ');
