import leven from 'leven';
import { CliError } from '../../errors.ts';

/** The fields that a column of a table can have. */
export const columnFields = [
  'title',
  'description',
  'key',
  'former',
  'id',
  'status',
  'category',
  'priority',
  'due_date',
  'created_at',
  'updated_at',
  'started_at',
  'completed_at',
  'archived_at',
  'creator',
  'assignees',
  'labels',
  'comments',
  'parent',
  'blocked_by',
  'blocks',
] as const;
export type ColumnField = (typeof columnFields)[number];

/** Names of columns by field. If a table has several of them, the first with a value counts; for lists all count. */
export type ColumnNames = { [Field in ColumnField]?: string[] };

/** The name that was probably meant: less than half of its letters differ. */
const nearest = (name: string, names: string[]): string | undefined => {
  const [best] = names
    .map((candidate) => ({ candidate, away: leven(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.away - b.away);
  return best && best.away * 2 < name.length ? best.candidate : undefined;
};

const missing = (name: string, header: string[], advice = '') => {
  const meant = nearest(name, header);
  const hint = meant === undefined ? '' : ` did you mean "${meant}"?`;
  const listed = header.slice(0, 40).map((column) => `"${column}"`);
  const more = header.length > listed.length ? ` and ${header.length - listed.length} more` : '';
  return new CliError(`no column "${name}";${hint}${advice} the file has ${listed.join(', ')}${more}`);
};

const sameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

const places = (header: string[], names: string[]) =>
  names.flatMap((name) => header.flatMap((column, n) => (sameName(column, name) ? [n] : [])));

/** The indexes of the columns of each field, from 0, in order. */
export type Columns = Record<ColumnField, number[]>;

/**
 * Finds the columns in a header.
 * @param known names that this tracker uses; they may be missing
 * @param named names that the user gave; they take precedence
 * @throws CliError if a column that the user named is missing, or no column has the titles
 */
export const findColumns = (header: string[], known: ColumnNames, named: ColumnNames): Columns => {
  const trimmed = header.map((column) => column.trim());
  for (const name of Object.values(named).flat()) {
    if (!header.some((column) => sameName(column, name))) throw missing(name, trimmed);
  }
  const found = columnFields.map((field): [ColumnField, number[]] => [
    field,
    [...new Set(places(header, [...(named[field] ?? []), ...(known[field] ?? [])]))],
  ]);
  const columns = Object.fromEntries(found) as Columns;
  if (columns.title.length === 0) {
    const advice = ' say which one has the titles, in whatever language, with --map title=COLUMN;';
    throw missing(known.title?.[0] ?? 'title', trimmed, advice);
  }
  return columns;
};
