import { checks } from './checks/index.ts';
import type { History } from './history.ts';
import type { Verdict } from './report.ts';

/** Judges a history by every promise. */
export const judge = (history: History): Verdict[] =>
  checks.map((check) => ({ rule: check.rule, ...check.check(history) }));
