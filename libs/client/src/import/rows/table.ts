import { ImportError } from '../import-error.ts';
import { detectFormat, type Format } from './format.ts';
import { columnAt } from './header.ts';
import { type PlannedCard, planRow, type RowRules } from './plan-row.ts';
import { readRows } from './read-rows.ts';

/** What the person said about the file. */
export interface TableOptions {
  title: string;
  description: string | undefined;
  pattern: RegExp | undefined;
  truncate: boolean;
}

/** A file whose header was read; its rows are read anew, from the first, each time they are asked for. */
export interface Table {
  file: string;
  format: Format;
  rules: RowRules;
}

const systemReasons: Record<string, string> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'no permission to read it',
};

const readableFormat = async (file: string) => {
  try {
    return await detectFormat(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new ImportError(`cannot read ${file}: ${systemReasons[code] ?? (error as Error).message}`, { cause: error });
  }
};

/**
 * Reads a file's header and finds the columns in it.
 * @throws ImportError where the file cannot be read, is empty, or lacks a column
 */
export const openTable = async (file: string, options: TableOptions): Promise<Table> => {
  const format = await readableFormat(file);
  const rows = readRows(file, format);
  const first = await rows.next();
  await rows.return(undefined);
  if (first.done) throw new ImportError(`${file} is empty`);
  const header = first.value.cells;
  return {
    file,
    format,
    rules: {
      header,
      titleAt: columnAt(header, options.title),
      descriptionAt: options.description === undefined ? undefined : columnAt(header, options.description),
      pattern: options.pattern,
      truncate: options.truncate,
    },
  };
};

/** What became of one row. */
export type PlannedRow = { line: number } & ({ card: PlannedCard } | { problem: string });

/** Plans every row below the header, in the file's order. */
export async function* plannedRows({ file, format, rules }: Table): AsyncGenerator<PlannedRow> {
  let isHeader = true;
  for await (const { line, cells } of readRows(file, format)) {
    if (isHeader) {
      isHeader = false;
      continue;
    }
    const planned = planRow(cells, rules);
    yield 'problem' in planned ? { line, problem: planned.problem } : { line, card: planned };
  }
}
