import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createCardBody, createColumn, uuid } from '@cardinal/contracts';
import { z } from 'zod';
import { CliError } from '../../errors.ts';
import { parseFile, readIfThere } from '../../files.ts';
import { longestName, nameOf } from './rows.ts';
import type { StatusCount, Survey } from './survey.ts';
import { shorten } from './texts.ts';

const priority = createCardBody.shape.priority;
const columnName = z
  .string()
  .trim()
  .superRefine((name, { addIssue }) => {
    const refused = createColumn.http.body?.safeParse({ name }).error?.issues[0]?.message;
    if (refused) addIssue(refused);
  });

/** Words and their meanings. Any word is valid, also `__proto__`, which zod's own record skips. */
const dictionary = <Value>(value: z.ZodType<Value>) =>
  z
    .custom<Record<string, unknown>>((given) => typeof given === 'object' && given !== null && !Array.isArray(given))
    .transform((given, context): Record<string, Value> => {
      const entries = Object.entries(given).flatMap(([word, meant]): [string, Value][] => {
        const { success, data, error } = value.safeParse(meant);
        if (success) return [[word, data]];
        context.addIssue({ code: 'custom', path: [word], message: error.issues[0]?.message ?? '' });
        return [];
      });
      return Object.fromEntries(entries);
    });

/** The meaning of a word; undefined if it was not chosen. */
export const meaningIn = <Value>(words: Record<string, Value>, word: string): Value | undefined =>
  Object.hasOwn(words, word) ? words[word] : undefined;
/** A user: their id, or the e-mail address by which a person of the workspace is found. */
const user = z.union([uuid, z.string().regex(/^[^\s@]+@[^\s@]+$/)], 'must be the UUID or the e-mail address of a user');
const meaning = z.enum(['dependency', 'reversed', 'leave out']);

/**
 * The meanings of a tracker's words. The plan writes them, the user edits them. Columns are in the order of the board; each status
 * belongs to one of them; the empty status is that of issues without one.
 */
const mapping = z.strictObject({
  columns: z.array(
    z.strictObject({
      name: columnName,
      statuses: z.array(z.string()),
      /** Whether its cards without a date of completion are completed, when they were changed last. */
      completed: z.boolean(),
    }),
  ),
  priorities: dictionary(priority),
  people: dictionary(user.nullable()),
  links: dictionary(meaning),
});
export type Mapping = z.infer<typeof mapping>;
type Priority = z.infer<typeof priority>;

/** Known priorities of trackers; others are not imported until the user maps them. */
const knownPriorities: Record<string, Priority> = {
  super_urgent: 'super_urgent',
  blocker: 'super_urgent',
  highest: 'super_urgent',
  critical: 'super_urgent',
  urgent: 'urgent',
  high: 'urgent',
  major: 'urgent',
  important: 'important',
  medium: 'important',
  normal: 'important',
  nice_to_have: 'nice_to_have',
  low: 'nice_to_have',
  minor: 'nice_to_have',
  lowest: 'nice_to_have',
  trivial: 'nice_to_have',
};

const stages = { todo: 0, doing: 1, unknown: 1, done: 2 } as const;
type Stage = keyof typeof stages;

const stageOf = ({ categories }: StatusCount): Stage =>
  (Object.keys(stages) as Stage[]).reduce((most, stage) => (categories[stage] > categories[most] ? stage : most));

/** Columns in the tracker's order, if it has one; else by the progress of their issues, then in the order of the files. */
const columnsOf = ({ statuses }: Survey, ordered: string[], rest: string): Mapping['columns'] => {
  const known = new Set(ordered.map(nameOf).filter((name) => statuses.has(name)));
  const others = [...statuses].filter(([name]) => !known.has(name));
  const byStage = others.toSorted(([, a], [, b]) => stages[stageOf(a)] - stages[stageOf(b)]).map(([name]) => name);
  const columns: Mapping['columns'] = [];
  for (const status of [...known, ...byStage]) {
    const name = shorten(status || rest, longestName);
    const count = statuses.get(status);
    const there = columns.find((column) => column.name === name);
    if (there) there.statuses.push(status);
    else columns.push({ name, statuses: [status], completed: count !== undefined && stageOf(count) === 'done' });
  }
  return columns.length > 0 ? columns : [{ name: rest, statuses: [''], completed: false }];
};

const defaults = (survey: Survey, ordered: string[], rest: string): Mapping => ({
  columns: columnsOf(survey, ordered, nameOf(rest) || 'Imported'),
  priorities: Object.fromEntries(
    [...survey.priorities.keys()].map((name) => [
      name,
      meaningIn(knownPriorities, name.toLowerCase().replace(/[\s-]+/g, '_')) ?? null,
    ]),
  ),
  people: Object.fromEntries(
    [...survey.people].toSorted((a, b) => b[1] - a[1]).map(([name]) => [name, uuid.safeParse(name).data ?? null]),
  ),
  links: Object.fromEntries(
    [...survey.links.keys()].map((type) => [type, ['Blocks', 'Parent'].includes(type) ? 'dependency' : 'leave out']),
  ),
});

/** Adds new words of the files to the user's decisions. */
const merged = (decided: Mapping, fresh: Mapping): Mapping => {
  const known = new Set(decided.columns.flatMap(({ statuses }) => statuses));
  const columns = decided.columns.map((column) => ({ ...column, statuses: [...column.statuses] }));
  for (const { name, statuses, completed } of fresh.columns) {
    const added = statuses.filter((status) => !known.has(status));
    const there = columns.find((column) => column.name === name);
    if (there) there.statuses.push(...added);
    else if (added.length > 0) columns.push({ name, statuses: added, completed });
  }
  return {
    columns,
    priorities: { ...fresh.priorities, ...decided.priorities },
    people: { ...fresh.people, ...decided.people },
    links: { ...fresh.links, ...decided.links },
  };
};

const check = (read: Mapping, file: string): Mapping => {
  const names = new Set<string>();
  const statuses = new Set<string>();
  for (const column of read.columns) {
    if (names.has(column.name)) throw new CliError(`${file} has the column "${column.name}" twice`);
    names.add(column.name);
    for (const status of column.statuses) {
      if (statuses.has(status)) throw new CliError(`${file} has the status "${status}" in two columns`);
      statuses.add(status);
    }
  }
  if (read.columns.length === 0) throw new CliError(`${file} has no column`);
  return read;
};

const readMapping = async (file: string): Promise<Mapping | undefined> => {
  const text = await readIfThere(file);
  return text === undefined ? undefined : check(parseFile(mapping, text, file, 'a mapping'), file);
};

/**
 * Reads the mapping of a file and adds the new words of the survey; writes the file if it changed.
 * @param ordered statuses in the tracker's order
 * @param rest the name of the column for issues without a status
 * @throws CliError for a file that is no mapping
 */
export const settleMapping = async (
  file: string,
  survey: Survey,
  ordered: string[],
  rest: string,
): Promise<Mapping> => {
  const decided = await readMapping(file);
  const fresh = defaults(survey, ordered, rest);
  const settled = check(decided ? merged(decided, fresh) : fresh, file);
  if (JSON.stringify(settled) !== JSON.stringify(decided)) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(settled, null, 2)}\n`);
  }
  return settled;
};
