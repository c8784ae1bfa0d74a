import type { Card } from '@cardinal/client/source';
import { z } from 'zod';
import type { PlannedCard } from '../plan/cards.ts';
import { fingerprint } from '../plan/identity.ts';

/** The parts of a card that a later run corrects. */
const names = [
  'title',
  'description',
  'due_date',
  'priority',
  'completed',
  'archived',
  'column',
  'labels',
  'assignees',
] as const;
type Facet = (typeof names)[number];

/** The values of a card, as short texts that can be stored and compared: long texts as fingerprints, lists in order. */
export type Facets = Record<Facet, string>;
export const facetsSchema: z.ZodType<Facets> = z.record(z.enum(names), z.string());

/** Parts that one `PATCH` writes. */
const edited = ['title', 'description', 'due_date', 'priority', 'completed'] as const;
const lists = ['labels', 'assignees'] as const;

const flag = (is: boolean) => (is ? 'yes' : '');
const moment = (at: string | null | undefined) => (at ? new Date(at).toISOString() : '');
const text = (value: string | null | undefined) => (value ? fingerprint(value) : '');
const joined = (ids: readonly string[]) => [...new Set(ids.map((id) => id.toLowerCase()))].sort().join(' ');
export const split = (list: string): string[] => (list === '' ? [] : list.split(' '));

/** The facets of a card of the workspace. */
export const facetsOf = (card: Card): Facets => ({
  title: text(card.title),
  description: text(card.description),
  due_date: moment(card.due_date),
  priority: card.priority ?? '',
  completed: flag(card.completed_at !== null),
  archived: flag(card.archived_at !== null),
  column: card.column_id,
  labels: joined(card.label_ids),
  assignees: joined(card.assignee_user_ids),
});

/** How a run left a card; undefined in the journal of an older release. */
export interface Placed {
  left: Facets | undefined;
  /** The name of its column and board at that time. */
  place: string | undefined;
}

/** A column by its name and that of its board. */
export const placeIn = (board: string, column: string): string => `${board}/${column}`;

/** Ids of columns and labels by their names in the plan; a name for those that are not there yet. */
export interface Ids {
  column(name: string): string;
  label(name: string): string;
}

/**
 * The facets that a row wants its card to have. A column keeps its id though somebody renamed or archived it.
 * @param entry of the card in the journal
 * @param board the name of the board
 */
export const wantedBy = (card: PlannedCard, ids: Ids, entry: Placed | undefined, board: string): Facets => ({
  title: text(card.fields.title),
  description: text(card.fields.description),
  due_date: moment(card.fields.due_date),
  priority: card.fields.priority ?? '',
  completed: flag(card.completed_at !== null),
  archived: flag(card.archived_at !== null),
  column: (entry?.place === placeIn(board, card.column) && entry.left?.column) || ids.column(card.column),
  labels: joined(card.labels.map((name) => ids.label(name))),
  assignees: joined(card.assignees),
});

const isSame = (a: Facets, b: Facets): boolean => differing(a, b).length === 0;

/** The names of the facets that differ, in the order of a card's fields. */
const differing = (a: Facets, b: Facets): Facet[] => names.filter((name) => a[name] !== b[name]);

/** One request of an update, each of which raises the version of the card by one, and the facets after it. */
export interface Step {
  what: 'restore' | 'edit' | 'move' | 'archive' | `${'add' | 'remove'}_${(typeof lists)[number]}`;
  after: Facets;
}

/** The requests that lead from one state of a card to another, always in the same order. */
export const stepsTo = (from: Facets, to: Facets): Step[] => {
  const steps: Step[] = [];
  let at = from;
  const step = (what: Step['what'], changes: Partial<Facets>) => {
    at = { ...at, ...changes };
    steps.push({ what, after: at });
  };
  const isMoved = from.column !== to.column;
  // An archived card cannot be moved.
  if (from.archived !== '' && (to.archived === '' || isMoved)) step('restore', { archived: '' });
  const changed = edited.filter((name) => from[name] !== to[name]);
  if (changed.length > 0) step('edit', Object.fromEntries(changed.map((name) => [name, to[name]])));
  if (isMoved) step('move', { column: to.column });
  for (const list of lists) {
    const [before, after] = [split(from[list]), split(to[list])];
    const kept = before.filter((id) => after.includes(id));
    if (kept.length < before.length) step(`remove_${list}`, { [list]: joined(kept) });
    if (kept.length < after.length) step(`add_${list}`, { [list]: to[list] });
  }
  if (to.archived !== '' && at.archived === '') step('archive', { archived: to.archived });
  return steps;
};

/** What a run knows of a card that it made: how it left the card, and the update that it may not have finished. */
export interface LeftAs {
  version: number;
  /** Undefined in the journal of a release that did not note it. */
  facets: Facets | undefined;
  begun: Facets | undefined;
}

/** What becomes of a card that is already there. */
export type Correction =
  | { state: 'unchanged' }
  | { state: 'due'; steps: Step[]; fields: Facet[]; isPartOf: boolean }
  | { state: 'left'; fields: Facet[] };

/**
 * Decides whether a card is updated. It is, if nobody has touched it: its version and facets are those that the run left, or
 * those after some of the steps of an update. An update that began before somebody touched the card is completed, except for
 * the facets that they changed (`isPartOf`): a card is updated as a whole or not at all.
 */
export const correctionOf = (left: LeftAs | undefined, card: Card, wanted: Facets): Correction => {
  const now = facetsOf(card);
  const fields = differing(now, wanted);
  if (fields.length === 0) return { state: 'unchanged' };
  if (left && isUntouched(left, card, wanted)) {
    return { state: 'due', steps: stepsTo(now, wanted), fields, isPartOf: false };
  }
  const rest = left && restOf(left, now, wanted);
  if (rest && !isSame(rest, now)) return { state: 'due', steps: stepsTo(now, rest), fields, isPartOf: true };
  return { state: 'left', fields };
};

/** Whether a card is as the run left it, or as an update leaves it that was interrupted, or that another run is carrying out. */
export const isUntouched = ({ version, facets, begun }: LeftAs, card: Card, wanted?: Facets): boolean => {
  const done = card.version - version;
  if (done === 0 || !facets) return done === 0;
  return [begun, wanted].some((to) => {
    const reached = to && stepsTo(facets, to)[done - 1]?.after;
    return reached !== undefined && isSame(reached, facetsOf(card));
  });
};

/** The facets that complete an update which somebody's change interrupted; undefined if none began. */
const restOf = ({ facets, begun }: LeftAs, now: Facets, wanted: Facets): Facets | undefined => {
  if (!facets || !begun) return undefined;
  const hasBegun = names.some((name) => facets[name] !== begun[name] && now[name] === begun[name]);
  if (!hasBegun) return undefined;
  const isOurs = (name: Facet) => now[name] === facets[name] || now[name] === begun[name];
  return Object.fromEntries(names.map((name) => [name, isOurs(name) ? wanted[name] : now[name]])) as Facets;
};
