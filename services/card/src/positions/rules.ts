import { validationError } from '@cardinal/contracts';

/**
 * Positions are doubles, ascending from the top of a list and unique within it (CONTRACT 5.5). An item placed
 * between two others gets the midpoint of their positions, so no other position has to change.
 */

/** A place in a list: the positions directly above and below it, null at an end of the list. */
export interface Gap {
  above: number | null;
  below: number | null;
}

/** Where something goes in a list; a number that another holds means the place right above that other. */
export type Place = 'start' | 'end' | number | { before: string } | { after: string };

/** Another thing of the list, which a write names to say where, and the field that names it. */
export interface Anchor {
  field: string;
  id: string;
  place: Place;
}

/** What a body names as `before_<what>_id` or `after_<what>_id`, if anything. */
export const anchorOf = (body: Record<string, unknown>, what: 'card' | 'subtask'): Anchor | undefined => {
  const [before, after] = [body[`before_${what}_id`], body[`after_${what}_id`]];
  if (typeof before === 'string') return { field: `before_${what}_id`, id: before, place: { before } };
  if (typeof after === 'string') return { field: `after_${what}_id`, id: after, place: { after } };
  return undefined;
};

/** The refusal of a body with an invalid place. */
export const placeRefused = (field: string, message: string) =>
  validationError([{ path: [field], message: `${field} ${message}` }]);

/** The one double in the middle of two, or undefined where no double lies strictly between them. */
const midpoint = (low: number, high: number) => {
  const sum = low + high;
  // Two huge numbers of one sign overflow when added; halving them first would lose the last bit of a denormal.
  const middle = Number.isFinite(sum) ? sum / 2 : low / 2 + high / 2;
  return low < middle && middle < high ? middle : undefined;
};

/** Keeps negative zero out, which JSON writes as zero and Postgres takes for zero. */
const normal = (position: number | undefined) => (position === undefined ? undefined : position + 0);

/** One above, or half the way to the end of all doubles where a step of one is lost in rounding. */
const aboveAll = (top: number) =>
  top - 1 < top && Number.isFinite(top - 1) ? top - 1 : midpoint(top > 0 ? 0 : -Number.MAX_VALUE, top);

/**
 * Finds a position inside a gap.
 * @param gap the neighbours; both null for an empty list
 * @returns a finite double strictly inside, or undefined where there is none and the list must be rebalanced
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
 * Decides the position of an item that goes into a gap.
 * @param gap the neighbours there, without the item itself
 * @param current the item's position in the same list now; undefined where it comes from elsewhere
 * @returns `current` where it is in the gap already; undefined where there is no room until the list is rebalanced
 */
export const land = (gap: Gap, current: number | undefined): number | undefined => {
  const standsThere =
    current !== undefined && (gap.above === null || gap.above < current) && (gap.below === null || current < gap.below);
  return standsThere ? current : between(gap);
};
