import type { LeftOut } from '../issue.ts';

/** Whether a value is empty, or has only empty values. */
const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined || value === '' || value === false || value === 0) return true;
  if (typeof value !== 'object') return false;
  return Object.values(value).every(isEmpty);
};

/** Why fields are not imported, by path; by default, cards have no such field. */
export type Reasons = readonly (readonly [path: RegExp, why: string])[];

const noField = 'cards have no such field';

/**
 * Counts every field of an exported object that has a value and is not imported. The path of a field in a list has the
 * list's name, `checkItems.due`.
 * @param taken paths that are imported; the fields of other objects are counted one by one
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
