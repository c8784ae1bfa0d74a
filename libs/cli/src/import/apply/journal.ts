import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { z } from 'zod';
import { CliError } from '../../errors.ts';
import { openJournalFile } from '../journal-file.ts';

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
  /** Cards that this run made: their name in the plan, id, version without comments and subtasks, and how many versions these add. */
  z.object({ cards: z.array(z.tuple([z.string(), z.string(), z.int(), z.int()])) }),
  /** Cards that were there already. */
  z.object({ there: z.array(z.tuple([z.string(), z.string()])) }),
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
}

/** What a run did, so that one that was stopped goes on. */
export interface Journal {
  file: string;
  run: string;
  cards: Map<string, JournalCard>;
  /** Names of cards that were refused once. */
  refused: Set<string>;
  made: Made[];
  append(entry: Entry): Promise<void>;
}

const take = (journal: Journal, step: Entry): void => {
  const { cards } = journal;
  if ('made' in step) journal.made.push(step.made);
  else if ('cards' in step) {
    for (const [name, id, version, extras] of step.cards) {
      cards.set(name, { id, made: { version, extras }, whole: extras === 0 });
    }
  } else if ('there' in step) {
    for (const [name, id] of step.there) cards.set(name, { id, made: undefined, whole: false });
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
    ...{ file, run: head.run, cards: new Map(), refused: new Set(), made: [] },
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
