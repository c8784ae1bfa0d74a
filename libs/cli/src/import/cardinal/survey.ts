import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { unreadable } from '../../files.ts';
import {
  type BoardLine,
  type CardLine,
  type ColumnLine,
  type Counts,
  dataFile,
  type FileLine,
  type IdentifierLine,
  type Line,
  type LineOf,
  line,
} from './format.ts';

/** The part of a card that is kept in memory; the rest is read again when needed. */
export interface CardHead
  extends Pick<CardLine, 'id' | 'column_id' | 'position' | 'identifiers' | 'depends_on' | 'cover_file_id' | 'title'> {
  isCompleted: boolean;
  isArchived: boolean;
  /** The offset of its line, in bytes. */
  offset: number;
  length: number;
}

/**
 * The contents of an export, read once. Differs from the survey of a tracker (`plan/survey.ts`): an export has resources of the API with
 * ids, rows of a tracker have words that are counted and mapped.
 */
export interface Survey {
  file: string;
  about: LineOf<'export'>;
  workstreams: LineOf<'workstream'>[];
  labels: LineOf<'label'>[];
  people: LineOf<'person'>[];
  boards: BoardLine[];
  columns: ColumnLine[];
  files: FileLine[];
  cards: Map<string, CardHead>;
  gone: IdentifierLine[];
  /** The counts that the export states. */
  counts: Counts;
}

interface Place {
  number: number;
  offset: number;
  length: number;
}

const newline = 0x0a;

async function* textLines(file: string): AsyncGenerator<{ text: string } & Place> {
  let rest = Buffer.alloc(0);
  let offset = 0;
  let number = 0;
  try {
    for await (const chunk of createReadStream(file)) {
      const bytes = Buffer.concat([rest, chunk as Buffer]);
      let start = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
        number += 1;
        yield { text: bytes.toString('utf8', start, end), number, offset: offset + start, length: end - start };
        start = end + 1;
      }
      rest = bytes.subarray(start);
      offset += start;
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw unreadable(file, error);
  }
  if (rest.length > 0)
    throw new CliError(`${file}:${number + 1} ends in the middle of a line: the export was not finished`);
}

const parse = (text: string, file: string, number: number): Line => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CliError(`${file}:${number} is not JSON`, { cause: error });
  }
  const result = line.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.');
  throw new CliError(`${file}:${number} is not a line of an export: ${path ? `${path}: ` : ''}${issue?.message}`);
};

/** The lines of an export, each with its offset. @throws CliError for a malformed line */
export async function* readLines(file: string): AsyncGenerator<{ line: Line } & Place> {
  for await (const { text, ...place } of textLines(file)) yield { line: parse(text, file, place.number), ...place };
}

/** The lists of lines that are kept whole. */
const listOf = {
  workstream: 'workstreams',
  label: 'labels',
  person: 'people',
  board: 'boards',
  column: 'columns',
  file: 'files',
  identifier: 'gone',
} as const;

const headOf = (card: CardLine, { offset, length }: Place): CardHead => {
  const { id, column_id, position, identifiers, depends_on, cover_file_id, title } = card;
  const about = { id, column_id, position, identifiers, depends_on, cover_file_id, title, offset, length };
  return { ...about, isCompleted: card.completed_at !== null, isArchived: card.archived_at !== null };
};

/**
 * Reads an export once.
 * @param folder the folder of the export
 * @throws CliError if it is no export, or is incomplete
 */
export const readSurvey = async (folder: string): Promise<Survey> => {
  const file = join(folder, dataFile);
  const survey: Omit<Survey, 'about' | 'counts'> = {
    file,
    workstreams: [],
    labels: [],
    people: [],
    boards: [],
    columns: [],
    files: [],
    cards: new Map(),
    gone: [],
  };
  let about: Survey['about'] | undefined;
  let counts: Counts | undefined;
  for await (const { line: one, ...place } of readLines(file)) {
    if (counts) throw new CliError(`${file}:${place.number} comes after the last line of the export`);
    if (!about && one.type !== 'export') throw new CliError(`${file} is not a Cardinal export`);
    if (one.type === 'export') about = one;
    else if (one.type === 'card') survey.cards.set(one.id, headOf(one, place));
    else if (one.type === 'end') counts = one.counts;
    else if (one.type !== 'comment' && one.type !== 'subtask') survey[listOf[one.type]].push(one as never);
  }
  if (!about || !counts) throw new CliError(`${file} has no last line: the export was not finished`);
  return { ...survey, about, counts };
};

/** Reads the lines of cards again. */
export interface CardReader {
  read(head: CardHead): Promise<CardLine>;
  close(): Promise<void>;
}

/** Opens an export to read its cards in any order. */
export const openCards = async (file: string): Promise<CardReader> => {
  let handle: FileHandle;
  try {
    handle = await open(file);
  } catch (error) {
    throw unreadable(file, error);
  }
  return {
    async read({ offset, length, id }) {
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, offset);
      const one = line.parse(JSON.parse(buffer.toString()));
      if (one.type !== 'card' || one.id !== id) throw new CliError(`${file} was changed meanwhile`);
      return one;
    },
    close: () => handle.close(),
  };
};
