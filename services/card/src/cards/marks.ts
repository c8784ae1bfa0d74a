import { checkRoom } from '../rules.ts';

/** What a card is marked with, assignees and labels: lists of ids in the order in which they came, each once. */

/**
 * The list with an id in it; the same list where it is there already.
 * @throws CardinalError `conflict` where the list is full
 */
export const including = (ids: string[], id: string, what: 'assignees' | 'labels'): string[] => {
  if (ids.includes(id)) return ids;
  checkRoom(`${what} on a card`, ids.length);
  return [...ids, id];
};

/** The list without an id; the same list where it is not there. */
export const excluding = (ids: string[], id: string): string[] =>
  ids.includes(id) ? ids.filter((other) => other !== id) : ids;
