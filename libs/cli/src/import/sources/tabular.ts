import { basename, extname } from 'node:path';
import {
  type Category,
  type Comment,
  type Issue,
  type LeftOut,
  type Link,
  noValue,
  type Place,
  type Read,
  type Source,
} from '../issue.ts';
import { type ColumnField, type ColumnNames, type Columns, findColumns } from './columns.ts';
import { type DateRules, notAhead, orderOf, readDate } from './dates.ts';
import { type Encoding, isUtf8After } from './encoding.ts';
import { openTable, rowsBelow, type Table } from './table.ts';

/** How a tracker writes its tables. */
export interface Dialect {
  columns: ColumnNames;
  /** The links in a column of this name; a cell has one or several keys. */
  linkOf(column: string): Omit<Link, 'other'> | undefined;
  /** The separator of values in a cell, if a cell can have several. */
  separators: { labels: RegExp; links: RegExp; assignees?: RegExp };
  comment(cell: string, dates: DateRules): Comment;
  /** Fields that have no time there, though it writes one. */
  days?: readonly ColumnField[];
  /** Why a column is not imported. */
  why(column: string): string;
}

export interface TabularOptions {
  files: string[];
  /** The one that the user names. */
  encoding: Encoding | undefined;
  /** Columns that the user named. */
  named: ColumnNames;
  /** Finds a key in the title if no column has it: the first matching group, or the whole match. */
  keyPattern: RegExp | undefined;
  zone: string;
  /** Undefined to detect it from the file. */
  order: DateRules['order'] | undefined;
  /** Earlier keys by key, from a list beside the export. */
  former: Map<string, string[]>;
}

interface Layout {
  table: Table;
  at: Columns;
  links: [place: number, link: Omit<Link, 'other'>][];
  unused: [place: number, column: string][];
}

const dateFields = ['due_date', 'created_at', 'updated_at', 'started_at', 'completed_at', 'archived_at'] as const;
const isDate = (field: ColumnField) => dateFields.some((one) => one === field);
const sampleRows = 1_000;

/** Whether a cell has a value; placeholders for empty cells are no dates. */
const hasValue = (cell: string | undefined, field: ColumnField) =>
  cell !== undefined && cell.trim() !== '' && !(isDate(field) && noValue.test(cell.trim()));

const layoutOf = (table: Table, dialect: Dialect, named: ColumnNames): Layout => {
  const at = findColumns(table.header, dialect.columns, named);
  const used = new Set(Object.values(at).flat());
  const links: Layout['links'] = [];
  const unused: Layout['unused'] = [];
  for (const [place, column] of table.header.entries()) {
    if (used.has(place)) continue;
    const link = dialect.linkOf(column.trim());
    if (link) links.push([place, link]);
    else unused.push([place, column.trim()]);
  }
  return { table, at, links, unused };
};

const findKey = (title: string, pattern: RegExp | undefined) => {
  const match = pattern?.exec(title);
  if (!match) return null;
  const found = match.length > 1 ? match.slice(1).find((group) => group !== undefined) : match[0];
  return found || null;
};

/** The tracker's words for progress (Jira: `To Do`, `In Progress`, `Done`), in other languages too. */
const categories: [Category, RegExp][] = [
  ['done', /^(done|completed?|closed|resolved)$/i],
  ['doing', /^(in progress|indeterminate|doing|started)$/i],
  ['todo', /^(to ?do|new|open|backlog|unstarted|not started)$/i],
];

/** The progress of an issue: by the tracker's word, if known, else by its dates. */
const categoryOf = (
  word: string,
  at: Columns,
  dates: { started_at?: string; completed_at?: string },
): Category | null => {
  const said = categories.find(([, words]) => words.test(word));
  if (said) return said[0];
  if (dates.completed_at !== undefined) return 'done';
  if (dates.started_at !== undefined) return 'doing';
  return word === '' && at.started_at.length > 0 ? 'todo' : null;
};

/** Fields with one value: of several columns the first with a value counts. */
const single = ['title', 'description', 'key', 'id', 'status', 'category', 'priority', 'creator', 'parent'] as const;

/** Counts values of known columns that are not imported. */
const countLeftOut = (cells: string[], { table, at }: Layout, leftOut: LeftOut) => {
  const name = (n: number) => table.header[n]?.trim() ?? '';
  for (const field of [...single, ...dateFields]) {
    const [first, ...others] = at[field].filter((n) => hasValue(cells[n], field));
    if (first === undefined) continue;
    for (const n of others) {
      if (cells[n] !== cells[first]) leftOut.count(name(n), `${name(first)} has it, and a card has one`);
    }
    if (field === 'updated_at')
      leftOut.count(name(first), 'Cardinal sets it itself; it dates completed cards that say no date');
    if (field === 'started_at') leftOut.count(name(first), 'it says only how far an issue is');
    const word = (cells[first] ?? '').trim();
    if (field === 'category' && !categories.some(([, words]) => words.test(word))) {
      leftOut.count(
        `${name(first)}: ${word}`,
        'not known as to do, doing or done; say in the mapping which columns are completed',
      );
    }
  }
};

async function* sampleDates({ table, at }: Layout) {
  let rows = 0;
  for await (const { cells } of rowsBelow(table)) {
    for (const field of dateFields) for (const place of at[field]) yield cells[place] ?? '';
    rows += 1;
    if (rows >= sampleRows) return;
  }
}

const dateOrder = async (layouts: Layout[], chosen: DateRules['order'] | undefined): Promise<DateRules['order']> => {
  if (chosen) return chosen;
  for (const layout of layouts) {
    const sample: string[] = [];
    for await (const date of sampleDates(layout)) sample.push(date);
    const order = orderOf(sample);
    if (order) return order;
  }
  return 'mdy';
};

const readRow = (
  cells: string[],
  place: Place,
  layout: Layout,
  context: { dialect: Dialect; dates: DateRules } & TabularOptions,
): Read => {
  const { dialect, dates, keyPattern, former } = context;
  const { at, table, links } = layout;
  // Missing cells at the end, and further ones without a value, are ignored.
  if (cells.slice(table.header.length).some((cell) => cell.trim() !== '')) {
    return { place, problem: `${cells.length} fields where the header has ${table.header.length}` };
  }
  const placesOf = (field: ColumnField) => at[field].filter((n) => hasValue(cells[n], field));
  const all = (field: ColumnField) => placesOf(field).map((n) => cells[n] ?? '');
  const one = (field: ColumnField) => all(field)[0] ?? null;
  const listed = (cell: string, separator: RegExp | undefined) =>
    cell.trim() === '[]' ? [] : (separator ? cell.split(separator) : [cell]).map((part) => part.trim()).filter(Boolean);
  const many = (field: ColumnField, separator: RegExp | undefined) => [
    ...new Set(all(field).flatMap((cell) => listed(cell, separator))),
  ];
  const { separators } = dialect;

  const read: { [Field in (typeof dateFields)[number]]?: string } = {};
  for (const field of dateFields) {
    const cell = one(field);
    if (cell === null) continue;
    const date = readDate(cell, dates, dialect.days?.includes(field));
    if (date === undefined) {
      const column = table.header[placesOf(field)[0] ?? 0]?.trim();
      return { place, problem: `${field} is no date: ${[...cell].slice(0, 40).join('')}, in the column "${column}"` };
    }
    read[field] = field === 'due_date' ? date : notAhead(date, Date.now());
  }
  const title = one('title')?.trim() ?? '';
  const key = one('key')?.trim() ?? findKey(title, keyPattern);
  const parent = one('parent')?.trim();
  const issue: Issue = {
    place,
    id: one('id')?.trim() ?? null,
    key,
    former: [...new Set([...many('former', separators.links), ...((key && former.get(key.toUpperCase())) || [])])],
    title,
    description: one('description'),
    status: one('status')?.trim() ?? null,
    category: categoryOf(one('category')?.trim() ?? '', at, read),
    priority: one('priority')?.trim() ?? null,
    due_date: read.due_date ?? null,
    created_at: read.created_at ?? null,
    updated_at: read.updated_at ?? null,
    ...(read.started_at !== undefined && { started_at: read.started_at }),
    completed_at: read.completed_at ?? null,
    archived_at: read.archived_at ?? null,
    creator: one('creator')?.trim() ?? null,
    assignees: many('assignees', separators.assignees),
    labels: many('labels', separators.labels),
    comments: all('comments').map((cell) => dialect.comment(cell, dates)),
    subtasks: [],
    links: [
      ...(parent ? [{ type: 'Parent', waits: false, other: parent }] : []),
      ...many('blocked_by', separators.links).map((other) => ({ type: 'Blocks', waits: true, other })),
      ...many('blocks', separators.links).map((other) => ({ type: 'Blocks', waits: false, other })),
      ...links.flatMap(([n, link]) => listed(cells[n] ?? '', separators.links).map((other) => ({ ...link, other }))),
    ],
  };
  return { issue };
};

/** Notes on files of which the user names an encoding that they hardly have. */
const encodingNotes = async (tables: Table[], said: Encoding | undefined): Promise<string[]> => {
  const notes: string[] = [];
  for (const { file, format } of said === undefined ? [] : tables) {
    const name = basename(file);
    if (format.encoding !== said)
      notes.push(`${name} has a byte order mark of ${format.encoding.toUpperCase()}, which counts`);
    else if (await isUtf8After(file, said)) notes.push(`${name} looks like UTF-8 text; it is read as ${said}`);
  }
  return notes;
};

/** Tables with a header, one after the other, in a tracker's dialect. @throws CliError where one cannot be read */
export const openTabular = async (dialect: Dialect, options: TabularOptions): Promise<Source> => {
  const tables: Table[] = [];
  const close = async () => {
    for (const table of tables) await table.close();
  };
  try {
    for (const file of options.files) tables.push(await openTable(file, options.encoding));
    const layouts = tables.map((table) => layoutOf(table, dialect, options.named));
    const dates = { zone: options.zone, order: await dateOrder(layouts, options.order) };
    const context = { ...options, dialect, dates };
    const read = async function* (leftOut: LeftOut): AsyncGenerator<Read> {
      for (const layout of layouts) {
        for await (const { line, cells } of rowsBelow(layout.table)) {
          for (const [n, column] of layout.unused) if (cells[n]?.trim()) leftOut.count(column, dialect.why(column));
          countLeftOut(cells, layout, leftOut);
          yield readRow(cells, { file: basename(layout.table.file), line }, layout, context);
        }
      }
    };
    const [first = ''] = options.files;
    const order = dates.order === 'mdy' ? 'the 7th of June' : 'the 6th of July';
    const notes = [
      ...(await encodingNotes(tables, options.encoding)),
      ...tables
        .filter(({ format }) => format.encoding === 'windows-1252' && options.encoding === undefined)
        .map(({ file }) => `${basename(file)} is read as Windows-1252; --encoding says what else it is`),
      `dates that say no zone are read in ${dates.zone}, 6/7/2025 as ${order}, and without a time as noon UTC`,
    ];
    return { name: basename(first, extname(first)), statuses: [], notes, read, close };
  } catch (error) {
    await close();
    throw error;
  }
};
