import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { z } from 'zod';
import { CliError } from '../../errors.ts';
import { openJournalFile } from '../journal-file.ts';
import type { PlannedCard } from '../plan/cards.ts';
import { fingerprint } from '../plan/identity.ts';

const made = z.object({
  kind: z.enum(['board', 'column', 'label', 'workstream']),
  id: z.string(),
  name: z.string(),
  version: z.int(),
});

/** Of which workspace it is; `run` goes into the idempotency keys of this run. */
const headOf = z.object({ run: z.string(), workspace: z.string() });

const entry = z.union([
  z.object({ made }),
  /**
   * Cards that this run made: their name in the plan, id, version without comments and subtasks, how many versions these add,
   * and what tells their row from others.
   */
  z.object({ cards: z.array(z.tuple([z.string(), z.string(), z.int(), z.int()], z.string())) }),
  /** Cards that were there already. */
  z.object({ there: z.array(z.tuple([z.string(), z.string()], z.string())) }),
  /** Names of cards with the identifiers that are about to be asked for. */
  z.object({ asked: z.array(z.tuple([z.string(), z.string()])) }),
  /** Cards that were refused; they are asked for anew when the run goes on. */
  z.object({ refused: z.array(z.string()) }),
  /** A card that has its comments and subtasks. */
  z.object({ whole: z.string() }),
  z.object({ deleted: z.string() }),
]);
type Entry = z.infer<typeof entry>;

/** Something beside cards that a run made. */
export type Made = z.infer<typeof made>;

/** What is known of a card of the plan. */
interface JournalCard {
  id: string;
  /** Whether this run made it; its version is `version` without its comments and subtasks, which add `extras`. */
  made: { version: number; extras: number } | undefined;
  whole: boolean;
  /** Of its row; undefined in a journal that does not say it. */
  row: RowMarks | undefined;
}

/** What tells a row from others of its key: its title, and the tracker's id of it (empty where it has none). */
type RowMarks = readonly [title: string, source: string];

/** What the journal keeps of a row. */
export const marksOf = ({ fields, source, created_at }: PlannedCard): [string, string] => [
  fingerprint(fields.title),
  source === null ? '' : fingerprint([source, created_at]),
];

/** Whether a card of the journal was made of this row, whatever was edited there since: a key alone is no proof. */
export const isSameRow = (row: RowMarks | undefined, card: PlannedCard): boolean => {
  if (!row) return true;
  const [title, source] = marksOf(card);
  return row[0] === title || (source !== '' && row[1] === source);
};

/** What a run did, so that one that was stopped goes on. */
export interface Journal {
  file: string;
  run: string;
  cards: Map<string, JournalCard>;
  /** Names of cards that were refused once. */
  refused: Set<string>;
  /** Identifiers that were asked for, by the names of their cards: what is there of them and not in `cards` is this run's too. */
  asked: Map<string, string>;
  made: Made[];
  append(entry: Entry): Promise<void>;
}

const rowIn = ([title, source]: string[]): RowMarks | undefined =>
  title === undefined || source === undefined ? undefined : [title, source];

const take = (journal: Journal, step: Entry): void => {
  const { cards } = journal;
  if ('made' in step) journal.made.push(step.made);
  else if ('cards' in step) {
    for (const [name, id, version, extras, ...marks] of step.cards) {
      cards.set(name, { id, made: { version, extras }, whole: extras === 0, row: rowIn(marks) });
    }
  } else if ('there' in step) {
    for (const [name, id, ...marks] of step.there) {
      cards.set(name, { id, made: undefined, whole: false, row: rowIn(marks) });
    }
  } else if ('asked' in step) {
    for (const [name, identifier] of step.asked) journal.asked.set(name, identifier);
  } else if ('refused' in step) {
    for (const name of step.refused) journal.refused.add(name);
  } else if ('whole' in step) {
    const card = cards.get(step.whole);
    if (card) card.whole = true;
  } else if ('deleted' in step) {
    for (const [name, { id }] of cards) if (id === step.deleted) cards.delete(name);
    journal.made = journal.made.filter(({ id }) => id !== step.deleted);
  }
};

/**
 * Opens the journal of an import, or begins one.
 * @param workspace the workspace that it is to be of
 * @throws CliError where it is of another workspace, or no journal
 */
export const openJournal = async (file: string, workspace: string): Promise<Journal> => {
  const first = { run: randomUUID(), workspace };
  const { head = first, steps, append } = await openJournalFile(file, { head: headOf, step: entry }, first);
  if (head.workspace !== workspace) {
    throw new CliError(`${file} is of another workspace; choose another folder with --run`);
  }
  const journal: Journal = {
    ...{ file, run: head.run, cards: new Map(), refused: new Set(), asked: new Map(), made: [] },
    append(step) {
      take(journal, step);
      return append([step]);
    },
  };
  for (const step of steps) take(journal, step);
  return journal;
};

/** Puts the journal of a run away that was undone: the next run begins with none. */
export const putAway = ({ file, run }: Journal): Promise<void> => rename(file, `${file}.undone-${run.slice(0, 8)}`);
