import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import type { PostOptions } from '@cardinal/client/source';
import { z } from 'zod';
import { CliError } from '../errors.ts';
import { type Facets, facetsSchema, type Placed, placeIn } from './apply/facets.ts';
import { openJournalFile } from './journal-file.ts';
import type { PlannedCard } from './plan/cards.ts';
import { fingerprint, keyOf } from './plan/identity.ts';

const made = z.object({
  kind: z.enum(['board', 'column', 'label', 'workstream']),
  id: z.string(),
  name: z.string(),
  version: z.int(),
});

/** The workspace of the import. `run` is a part of idempotency keys; for an export of Cardinal it is the export's id (named so by 1.1.0). */
const headOf = z.union([
  z.object({ run: z.string(), workspace: z.string() }),
  z
    .object({ export: z.string(), workspace: z.string() })
    .transform(({ export: run, workspace }) => ({ run, workspace })),
]);

const entry = z.union([
  z.object({ made }),
  /**
   * Cards that this run created, or updated: name in the plan, id, version without comments and subtasks, the versions that
   * these add, the marks of their row, their facets as JSON, and their place.
   */
  z.object({ cards: z.array(z.tuple([z.string(), z.string(), z.int(), z.int()], z.string())) }),
  /** Cards that existed before. */
  z.object({ there: z.array(z.tuple([z.string(), z.string()], z.string())) }),
  /** Names of cards with the identifiers that are about to be requested. */
  z.object({ asked: z.array(z.tuple([z.string(), z.string()])) }),
  /** Cards that were refused; the next run requests them again. */
  z.object({ refused: z.array(z.string()) }),
  /** A card whose comments and subtasks are complete. */
  z.object({ whole: z.string() }),
  /** The facets that an update of a card is about to write. */
  z.object({ updating: z.tuple([z.string(), facetsSchema]) }),
  z.object({ deleted: z.string() }),
  /** A step that is done once for all runs, and the id of its result. */
  z.tuple([z.string(), z.string()]),
]);
type Entry = z.infer<typeof entry>;

/** A resource other than a card that a run created. */
export type Made = z.infer<typeof made>;

/** The journal's entry of a card of the plan. */
export interface JournalCard extends Placed {
  id: string;
  /** Whether this run made it; its version is `version` without its comments and subtasks, which add `extras`. */
  made: { version: number; extras: number } | undefined;
  whole: boolean;
  /** What an unfinished update was to write. */
  begun: Facets | undefined;
  /** The fingerprint of its row; undefined in an older journal. */
  row: RowMarks | undefined;
}

/** Distinguishes rows with the same key: the title, the id in the tracker (empty without one), and the name of the file. */
type RowMarks = readonly [title: string, source: string, file: string | undefined];

/** Returns the marks of a row. */
export const marksOf = ({ fields, source, created_at, place }: PlannedCard): [string, string, string] => [
  fingerprint(fields.title),
  source === null ? '' : fingerprint([source, created_at]),
  place.file,
];

/**
 * Whether a card of the journal was created from this row, also if either was edited since. An equal key is proof in the same
 * file alone: a corrected one. In another file it may be the key of something else.
 */
export const isSameRow = (row: RowMarks | undefined, card: PlannedCard): boolean => {
  if (!row) return true;
  const [title, source, file] = marksOf(card);
  const isKeyed = card.identity !== undefined && !card.isNumbered;
  return row[0] === title || (source !== '' && row[1] === source) || (isKeyed && row[2] === file);
};

/**
 * The steps of a run, so that the next run can continue. Resources that are found again by name or number are stored with
 * a fingerprint (`made`, `cards`). Resources in an empty workspace are stored as steps, under their names in the export.
 */
export interface Journal {
  file: string;
  run: string;
  workspace: string;
  /** Whether a run before this one began to write. */
  isBegun: boolean;
  cards: Map<string, JournalCard>;
  /** Names of cards that were refused once. */
  refused: Set<string>;
  /** Requested identifiers, by the names of their cards. If a card has one and is not in `cards`, this import created it. */
  asked: Map<string, string>;
  made: Made[];
  append(entry: Entry): Promise<void>;
  /** Does a step, once for all runs: one that was done but not written here is replayed by its idempotency key. @returns its id */
  once(name: string, work: (options: PostOptions) => Promise<string>): Promise<string>;
  /** Does several steps in one request. @returns their ids */
  onceForAll(names: string[], work: (options: PostOptions) => Promise<string[]>): Promise<string[]>;
  isDone(name: string): boolean;
  /** The idempotency key of a step. */
  keyOf(name: string): string;
  /** The id of a step. @throws Error if it was not done, which is a bug */
  id(name: string): string;
}

/** How a run left a card, for its entry in the journal. */
interface Written {
  id: string;
  version: number;
  /** The versions that comments and subtasks still add. */
  extras: number;
  /** Undefined if it is not known. */
  facets: Facets | undefined;
  /** The name of the board. */
  board: string;
}

/** Returns the journal's entry of a card that this run made or updated. */
export const entryOf = (
  card: PlannedCard,
  { id, version, extras, facets, board }: Written,
): [string, string, number, number, ...string[]] => [
  card.name,
  id,
  version,
  extras,
  ...marksOf(card),
  ...(facets ? [JSON.stringify(facets), placeIn(board, card.column)] : []),
];

const rowIn = ([title, source, file]: string[]): RowMarks | undefined =>
  title === undefined || source === undefined ? undefined : [title, source, file];

const take = (journal: Journal, ids: Map<string, string>, step: Entry): void => {
  const { cards } = journal;
  if (Array.isArray(step)) ids.set(...step);
  else if ('made' in step) journal.made.push(step.made);
  else if ('cards' in step) {
    for (const [name, id, version, extras, ...marks] of step.cards) {
      const [, , , facets, place] = marks;
      const left = facets === undefined ? undefined : facetsSchema.parse(JSON.parse(facets));
      const made = { version, extras };
      cards.set(name, { id, made, whole: extras === 0, row: rowIn(marks), left, place, begun: undefined });
    }
  } else if ('there' in step) {
    for (const [name, id, ...marks] of step.there) {
      const other = { made: undefined, whole: false, left: undefined, place: undefined, begun: undefined };
      cards.set(name, { id, row: rowIn(marks), ...other });
    }
  } else if ('asked' in step) {
    for (const [name, identifier] of step.asked) journal.asked.set(name, identifier);
  } else if ('refused' in step) {
    for (const name of step.refused) journal.refused.add(name);
  } else if ('whole' in step) {
    const card = cards.get(step.whole);
    if (card) card.whole = true;
  } else if ('updating' in step) {
    const card = cards.get(step.updating[0]);
    if (card) card.begun = step.updating[1];
  } else if ('deleted' in step) {
    for (const [name, { id }] of cards) if (id === step.deleted) cards.delete(name);
    journal.made = journal.made.filter(({ id }) => id !== step.deleted);
  }
};

/**
 * Opens the journal of an import, or begins one.
 * @param workspace the expected workspace
 * @param exported the expected id of the export, for exports of Cardinal
 * @throws CliError if it is of another workspace or export, or no journal
 */
export const openJournal = async (file: string, workspace: string, exported?: string): Promise<Journal> => {
  const first = { run: exported ?? randomUUID(), workspace };
  const { head, steps, append } = await openJournalFile(file, { head: headOf, step: entry }, first);
  const { run } = head ?? first;
  if ((head && head.workspace !== workspace) || run !== (exported ?? run)) {
    const of = exported === undefined ? 'workspace' : 'export or workspace';
    throw new CliError(`${file} is of another ${of}; choose another folder with --run`);
  }
  const ids = new Map<string, string>();
  const keyFor = (names: string[]) => keyOf('cardinal', run, ...names);
  const id = (name: string) => {
    const known = ids.get(name);
    if (known === undefined) throw new Error(`the step "${name}" was not done`);
    return known;
  };
  const journal: Journal = {
    file,
    run,
    workspace,
    isBegun: head !== undefined,
    cards: new Map(),
    refused: new Set(),
    asked: new Map(),
    made: [],
    append(step) {
      take(journal, ids, step);
      return append([step]);
    },
    async onceForAll(names, work) {
      if (!names.every((name) => ids.has(name))) {
        // Written before the first effect: the next run continues, and does not require an empty workspace.
        await append([]);
        const made = await work({ idempotencyKey: keyFor(names) });
        const done = names.map((name, n): [string, string] => [name, made[n] ?? '']);
        await append(done);
        for (const step of done) take(journal, ids, step);
      }
      return names.map(id);
    },
    async once(name, work) {
      const [done = ''] = await journal.onceForAll([name], async (options) => [await work(options)]);
      return done;
    },
    isDone: (name) => ids.has(name),
    keyOf: (name) => keyFor([name]),
    id,
  };
  for (const step of steps) take(journal, ids, step);
  return journal;
};

/**
 * Renames the journal of a run whose cards were deleted: the next run begins a new one. Boards and labels that are still in
 * use move to the new one, so that a later undo can delete them.
 */
export const putAway = async ({ file, run, workspace, made }: Journal): Promise<void> => {
  await rename(file, `${file}.undone-${run.slice(0, 8)}`);
  const kept = made.filter(({ kind }) => kind === 'board' || kind === 'label');
  if (kept.length === 0) return;
  const next = await openJournal(file, workspace);
  for (const made of kept) await next.append({ made });
};
