import { createHash } from 'node:crypto';
import {
  type CreateCardBody,
  createCardBody,
  createLabelBody,
  prefix as prefixSchema,
  uuid,
} from '@cardinal/contracts';
import leven from 'leven';
import { ImportError } from './report.ts';

/** Fields of a card that `--map` takes a column for. */
export const mappedFields = ['due_date', 'priority', 'labels', 'assignees'] as const;
export type MappedField = (typeof mappedFields)[number];

type Fields<Value> = { title: Value } & { [Field in 'description' | MappedField]?: Value };
/** Which column of the file holds which field of a card. */
export type ColumnNames = Fields<string>;

/** What a file's columns mean and how its rows become cards. */
export interface RowRules {
  header: string[];
  /** Where each field stands in a row, from 0. */
  at: Fields<number>;
  pattern: RegExp | undefined;
  truncate: boolean;
}

/** A card to be. */
export interface PlannedCard {
  /** What is sent, but for the workstream's id. */
  body: CreateCardBody;
  workstream: NamedWorkstream;
  labels: string[];
  assignees: string[];
  /** Its row's content in 32 bytes. */
  hash: Buffer;
}

/** Which workstream a title names. Neither field: none, so the card goes to the default one. */
interface NamedWorkstream {
  /** As the API keeps it, in upper case. */
  prefix?: string;
  /** What the pattern matched though the API takes no such prefix. */
  unusable?: string;
}

/** The name that was probably meant: less than half of its letters differ. */
const nearest = (name: string, names: string[]): string | undefined => {
  const [best] = names
    .map((candidate) => ({ candidate, away: leven(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.away - b.away);
  return best && best.away * 2 < name.length ? best.candidate : undefined;
};

const columnAt = (header: string[], name: string): number => {
  const names = header.map((cell) => cell.trim());
  const at = names.indexOf(name.trim());
  if (at === -1) {
    const meant = nearest(name.trim(), names);
    const hint = meant === undefined ? '' : ` did you mean "${meant}"?`;
    throw new ImportError(`no column "${name}";${hint} the file has ${names.map((n) => `"${n}"`).join(', ')}`);
  }
  if (names.indexOf(name.trim(), at + 1) !== -1) throw new ImportError(`the file has several columns "${name}"`);
  return at;
};

/** Finds the columns of a file in its header. @throws ImportError where one is missing or there twice */
export const placesOf = (header: string[], columns: ColumnNames): RowRules['at'] => {
  const places = Object.entries(columns).map(([field, name]) => [field, columnAt(header, name)]);
  return Object.fromEntries(places);
};

/** Cuts a text to at most `max` code points, the last one an ellipsis where something was cut. */
export const shorten = (text: string, max: number): string => {
  const points = [...text];
  if (points.length <= max) return text;
  return `${points
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
};

/** The prefix in a title: the first capture group that took part, or the whole match where the pattern has no group. */
export const workstreamOf = (title: string, pattern: RegExp | undefined): NamedWorkstream => {
  const match = pattern?.exec(title);
  if (!match) return {};
  const found = match.length > 1 ? match.slice(1).find((group) => group !== undefined) : match[0];
  if (!found) return {};
  const parsed = prefixSchema.safeParse(found);
  return parsed.success ? { prefix: parsed.data } : { unusable: found };
};

// A day alone, as spreadsheets write it, begins in UTC.
const dueDateOf = (cell: string) => (/^\d{4}-\d\d-\d\d$/.test(cell) ? `${cell}T00:00:00Z` : cell);
const priorityOf = (cell: string) => cell.toLowerCase().replace(/[\s-]+/g, '_');
const listed = (cell: string) => [...new Set(cell.split(/[,;]/).map((part) => part.trim()))].filter(Boolean);

const problemsOf = (issues: { path: PropertyKey[]; message: string }[], field?: string) =>
  issues.map(({ path, message }) => `${field ?? path.join('.')} ${message}`).join('; ');

/** Turns a row into a card, by the same schemas that the service uses, or explains what the API would refuse. */
export const planRow = (cells: string[], rules: RowRules): PlannedCard | { problem: string } => {
  const { header, at, pattern, truncate } = rules;
  if (cells.length !== header.length) {
    return { problem: `${cells.length} fields where the header has ${header.length}` };
  }
  const cell = (field: keyof RowRules['at']) => cells[at[field] ?? -1] ?? '';
  const cut = (text: string, max: number) => (truncate ? shorten(text, max) : text);
  const optional = (field: string, value: string) => (value === '' ? {} : { [field]: value });

  const body = createCardBody.safeParse({
    title: cut(cell('title').trim(), 240),
    ...optional('description', cut(cell('description'), 20_000)),
    ...optional('due_date', dueDateOf(cell('due_date').trim())),
    ...optional('priority', priorityOf(cell('priority').trim())),
  });
  if (!body.success) return { problem: problemsOf(body.error.issues) };
  const labels = createLabelBody.shape.name.array().safeParse(listed(cell('labels')));
  if (!labels.success) return { problem: problemsOf(labels.error.issues, 'labels') };
  const assignees = uuid.array().safeParse(listed(cell('assignees')));
  if (!assignees.success) return { problem: 'assignees must be ids of users (UUIDs), separated by commas' };
  return {
    body: body.data,
    workstream: workstreamOf(cell('title'), pattern),
    labels: labels.data,
    assignees: assignees.data,
    hash: rowHash(header, cells),
  };
};

const sha256 = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest();

/** Hashes every field of a row together with its column's name, so the order of the columns does not matter. */
export const rowHash = (header: string[], cells: string[]): Buffer => {
  const fields = cells.map((cell, n): [string, string] => [header[n]?.trim() ?? '', cell]);
  return sha256(fields.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
};

/**
 * Counts how often each row came by; 48 bits of the hash stand for it. Should two rows ever share them, the later one
 * merely counts on from the earlier: its key stays its own.
 */
export const occurrenceCounter = () => {
  const seen = new Map<number, number>();
  return (hash: Buffer): number => {
    const short = hash.readUIntBE(0, 6);
    const occurrence = (seen.get(short) ?? 0) + 1;
    seen.set(short, occurrence);
    return occurrence;
  };
};

/** The idempotency key of a row's card: the same in every run for the same column; equal rows differ by their order. */
export const rowKey = (columnId: string, hash: Buffer, occurrence: number): string =>
  keyOf('card', columnId, hash.toString('hex'), occurrence);

/** The idempotency key of what the import makes: a card, or its board, column, workstream or label. */
export const keyOf = (...parts: (string | number)[]): string => `import-${sha256(parts).toString('hex')}`;
