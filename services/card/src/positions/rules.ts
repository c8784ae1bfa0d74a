import { validationError } from '@cardinal/contracts';

/**
 * Positions are doubles, ascending from the top of a list and unique within it (CONTRACT 5.5). An item between two
 * others gets the midpoint of their positions, so no other position changes.
 */

/** A gap in a list: the positions directly above and below it, null at an end of the list. */
export interface Gap {
  above: number | null;
  below: number | null;
}

/** A place in a list. A number that another item has means the place directly above that item. */
export type Place = 'start' | 'end' | number | { before: string } | { after: string };

/** The item next to which a write places another one, and the field of the body that names it. */
export interface Anchor {
  field: string;
  id: string;
  place: Place;
}

/**
 * Reads the anchor from the field `before_<what>_id` or `after_<what>_id` of a body.
 * @returns undefined where it has neither
 */
export const anchorOf = (body: Record<string, unknown>, what: 'card' | 'subtask'): Anchor | undefined => {
  const [before, after] = [body[`before_${what}_id`], body[`after_${what}_id`]];
  if (typeof before === 'string') return { field: `before_${what}_id`, id: before, place: { before } };
  if (typeof after === 'string') return { field: `after_${what}_id`, id: after, place: { after } };
  return undefined;
};

/**
 * Makes the `validation_error` of a body with an invalid place.
 * @param message what is wrong, after the name of the field
 */
export const placeRefused = (field: string, message: string) =>
  validationError([{ path: [field], message: `${field} ${message}` }]);

/** Computes the midpoint of two doubles. @returns undefined where no double is strictly between them */
const midpoint = (low: number, high: number) => {
  const sum = low + high;
  // The sum of two huge numbers can overflow. Halving both first is exact for them, but loses the last bit of a
  // denormal.
  const middle = Number.isFinite(sum) ? sum / 2 : low / 2 + high / 2;
  return low < middle && middle < high ? middle : undefined;
};

/** Makes negative zero zero, as JSON and Postgres do. */
const normal = (position: number | undefined) => (position === undefined ? undefined : position + 0);

/** Steps one above a position, or half the way to the last double where rounding would lose a step of one. */
const aboveAll = (top: number) =>
  top - 1 < top && Number.isFinite(top - 1) ? top - 1 : midpoint(top > 0 ? 0 : -Number.MAX_VALUE, top);

/**
 * Computes a position inside a gap.
 * @param gap the neighbours; both null for an empty list
 * @returns a finite double strictly inside; undefined where there is none, so that the list needs a rebalancing
 */
export const between = ({ above, below }: Gap): number | undefined => {
  if (above === null) return below === null ? 0 : normal(aboveAll(below));
  if (below === null) {
    const mirrored = aboveAll(-above);
    return mirrored === undefined ? undefined : normal(-mirrored);
  }
  return normal(midpoint(above, below));
};

/**
 * Computes the position of an item that moves into a gap.
 * @param gap the neighbours there, other than the item itself
 * @param current the item's position in the same list; undefined for an item of another list
 * @returns `current` where it is in the gap already; undefined where the list needs a rebalancing first
 */
export const land = (gap: Gap, current: number | undefined): number | undefined => {
  const standsThere =
    current !== undefined && (gap.above === null || gap.above < current) && (gap.below === null || current < gap.below);
  return standsThere ? current : between(gap);
};
