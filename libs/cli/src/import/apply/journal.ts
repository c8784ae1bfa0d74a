import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { CliError } from '../../errors.ts';

const made = z.object({
  kind: z.enum(['board', 'column', 'label', 'workstream']),
  id: z.string(),
  name: z.string(),
  version: z.int(),
});

const entry = z.union([
  /** Of which workspace it is; `id` goes into the idempotency keys of this run. */
  z.object({ run: z.string(), workspace: z.string() }),
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

/** What a run did, in a file beside the exports: a line for each step, so that a run that was stopped goes on. */
export interface Journal {
  file: string;
  run: string;
  cards: Map<string, JournalCard>;
  /** Names of cards that were refused once. */
  refused: Set<string>;
  made: Made[];
  append(entry: Entry): Promise<void>;
}

const linesOf = async (file: string): Promise<string[]> => {
  try {
    return (await readFile(file, 'utf8')).split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new CliError(`cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
};

const parse = (line: string, file: string, number: number): Entry => {
  try {
    return entry.parse(JSON.parse(line));
  } catch (error) {
    throw new CliError(`${file}:${number} is no line of a journal`, { cause: error });
  }
};

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
 * Opens a journal, or begins one, whose file is written with its first step. What a process wrote as it was killed, the last line's beginning, is passed over.
 * @param workspace the workspace that it is to be of
 * @throws CliError where it is of another workspace, or no journal
 */
export const openJournal = async (file: string, workspace: string): Promise<Journal> => {
  const lines = await linesOf(file);
  const torn = lines.pop() ?? '';
  const steps = lines.map((line, n) => parse(line, file, n + 1));
  const [first] = steps;
  if (first && !('run' in first)) throw new CliError(`${file} is no journal`);
  if (first && first.workspace !== workspace) {
    throw new CliError(`${file} is of another workspace; choose another folder with --run`);
  }
  let begun = first !== undefined;
  const journal: Journal = {
    ...{ file, run: first?.run ?? randomUUID(), cards: new Map(), refused: new Set(), made: [] },
    async append(step) {
      take(journal, step);
      if (!begun) {
        begun = true;
        await mkdir(dirname(file), { recursive: true });
        await appendFile(file, `${JSON.stringify({ run: journal.run, workspace })}\n`);
      }
      await appendFile(file, `${JSON.stringify(step)}\n`);
    },
  };
  for (const step of steps) take(journal, step);
  if (torn !== '') {
    const whole = lines.map((line) => `${line}\n`).join('');
    await replaceFile(file, whole);
  }
  return journal;
};

const replaceFile = async (file: string, content: string) => {
  await appendFile(`${file}.new`, content, { flag: 'w' });
  await rename(`${file}.new`, file);
};

/** Puts the journal of a run away that was undone: the next run begins with none. */
export const putAway = ({ file, run }: Journal): Promise<void> => rename(file, `${file}.undone-${run.slice(0, 8)}`);
