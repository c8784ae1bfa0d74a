import type { Card } from '@cardinal/client/source';
import type { JournalCard } from '../journal.ts';
import type { PlannedCard } from '../plan/cards.ts';
import type { Correction } from './facets.ts';

/** The progress of a run, and deviations from the plan. */
export interface Outcome {
  created: number;
  /** Made by an earlier run, or by another import of the same row. */
  alreadyThere: number;
  refused: { place: string; problem: string }[];
  /** Of those that are already there: the updated ones, with what changes. */
  updated: Corrected[];
  unchanged: number;
  /** Those that differ from their rows and stay as they are. */
  left: (Corrected & { why: string })[];
  /** Those that are already there with fewer comments or subtasks than their rows have: identifier and title. */
  withFewer: string[];
}

/** A card that differs from its row. */
interface Corrected {
  /** Its identifier and title. */
  name: string;
  fields: string[];
}

export const newOutcome = (): Outcome => ({
  created: 0,
  alreadyThere: 0,
  refused: [],
  updated: [],
  unchanged: 0,
  left: [],
  withFewer: [],
});

/**
 * Notes a card that is already there and whose row has more comments or subtasks: they are made with their card alone.
 * @param entry the journal's, as the run before left it: what that run did not finish, this one does
 */
export const noteExtras = (
  outcome: Outcome,
  card: Card,
  { comments, subtasks }: PlannedCard,
  entry: JournalCard | undefined,
): void => {
  if (!entry?.whole || (comments.length <= card.comment_count && subtasks.length <= card.subtask_total)) return;
  outcome.withFewer.push(nameOf(card));
};

/** What a report calls a card. */
export const nameOf = ({ identifier, title }: Pick<Card, 'identifier' | 'title'>): string => `${identifier} "${title}"`;

/** Notes what becomes of a card that is already there. @param isOurs whether this run made it */
export const noteCorrection = (outcome: Outcome, card: Card, correction: Correction, isOurs: boolean): void => {
  if (correction.state === 'unchanged') {
    outcome.unchanged += 1;
    return;
  }
  const corrected = { name: nameOf(card), fields: correction.fields };
  if (correction.state === 'due') outcome.updated.push(corrected);
  else outcome.left.push({ ...corrected, why: isOurs ? 'somebody changed it since' : 'this run did not make it' });
};

/** The place of a row. */
export const placeOf = ({ place, identity }: PlannedCard): string =>
  `${place.file}:${place.line}${identity ? ` (${identity.key})` : ''}`;
