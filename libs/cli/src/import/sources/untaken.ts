import type { LeftOut } from '../issue.ts';

/** Whether a value says nothing: it is empty, or has nothing but such in it. */
const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined || value === '' || value === false || value === 0) return true;
  if (typeof value !== 'object') return false;
  return Object.values(value).every(isEmpty);
};

/** Why fields are not taken, by their path; of a path that is not named: that cards have none. */
export type Reasons = readonly (readonly [path: RegExp, why: string])[];

const noField = 'cards have no such field';

/**
 * Counts every field of an exported object that has a value and is not taken over. Fields of what is in a list are named by
 * the list, `checkItems.due`.
 * @param taken paths that are taken; of an object that is not named its fields are looked at
 */
export const countUntaken = (
  value: unknown,
  { taken, reasons, within }: { taken: ReadonlySet<string>; reasons: Reasons; within: string },
  leftOut: LeftOut,
): void => {
  const walk = (object: object, at: string) => {
    for (const [field, member] of Object.entries(object)) {
      const path = at === '' ? field : `${at}.${field}`;
      if (taken.has(path) || isEmpty(member)) continue;
      const objects = [member].flat().filter((one): one is object => typeof one === 'object' && one !== null);
      const isLookedInto = [...taken].some((one) => one.startsWith(`${path}.`));
      if (isLookedInto && (objects.length > 0 || Array.isArray(member))) {
        for (const one of objects) walk(one, path);
        continue;
      }
      const why = reasons.find(([named]) => named.test(path))?.[1] ?? noField;
      const times = Array.isArray(member) ? member.filter((one) => !isEmpty(one)).length : 1;
      for (let n = 0; n < times; n += 1) leftOut.count(within === '' ? path : `${within}: ${path}`, why);
    }
  };
  if (typeof value === 'object' && value !== null) walk(value, '');
};
