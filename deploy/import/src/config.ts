import { basename, extname, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { ImportError } from './report.ts';
import { type ColumnNames, type MappedField, mappedFields, shorten } from './rows.ts';

/** What the import reads from the environment; options on the command line win. */
export interface ImportEnvironment {
  url: string;
  token: string | undefined;
  /** Where a relative FILE starts: npm changes into the repository's root and notes where it was called. */
  directory: string;
}

/** Reads `CARDINAL_URL` (default http://127.0.0.1:8080) and `CARDINAL_TOKEN`. */
export const readEnvironment = (env: NodeJS.ProcessEnv = process.env): ImportEnvironment => ({
  url: env.CARDINAL_URL || 'http://127.0.0.1:8080',
  token: env.CARDINAL_TOKEN || undefined,
  directory: (env.npm_lifecycle_event === 'import' && env.INIT_CWD) || process.cwd(),
});

/** An import as the person asked for it. */
export type ImportOptions = ReturnType<typeof readOptions>;

const integer = (min: number, max: number) => (text: string) => {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
};

const expression = (text: string) => {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
};

const webAddress = (text: string) => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('It must be an http or https URL.');
};

type Mapped = { [Field in MappedField]?: string };

const mapping = (text: string, former: Mapped = {}) => {
  const [, name, column = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const field = mappedFields.find((one) => one === name);
  if (!field || column === '') {
    throw new InvalidArgumentError(`It must be FIELD=COLUMN, the field one of ${mappedFields.join(', ')}.`);
  }
  if (former[field] !== undefined) throw new InvalidArgumentError(`${field} is mapped twice.`);
  return { ...former, [field]: column };
};

const command = () =>
  new Command('import')
    .description('Creates a card for each row of a CSV or TSV file. Stopped and run again, it makes no card twice.')
    .argument('<file>', 'CSV or TSV with a header; - reads standard input')
    .requiredOption('--title <column>', 'the column that holds the titles')
    .option('--description <column>', 'the column that holds the descriptions')
    .option('--map <field=column>', `the column of another field, repeatable: ${mappedFields.join(', ')}`, mapping)
    .option(
      '--workstream-pattern <regex>',
      "finds a workstream's prefix in the title: the first capture group, or the whole match",
      expression,
    )
    .option('--board <name>', "name or id of the board, made if missing (default: the file's name)")
    .option('--column <name>', 'name or id of the column, made if missing', 'Imported')
    .option('--truncate', 'shorten what is too long for a title or description', false)
    .option('--append', 'add to a column that was filled longer ago than the service remembers keys', false)
    .option('--dry-run', 'read the file and say what it holds, write nothing', false)
    .option('--max-workstreams <n>', 'refuse a pattern that names more: prefixes are for ever', integer(1, 10_000), 100)
    .option('--concurrency <n>', 'rows at once; above 1 neighbouring rows may swap numbers', integer(1, 256), 1)
    .option('--url <url>', 'where Cardinal listens (default: CARDINAL_URL or http://127.0.0.1:8080)', webAddress)
    .option('--token <token>', 'access token (default: CARDINAL_TOKEN, which shows in no list of processes)')
    .allowExcessArguments(false);

interface Parsed
  extends Record<'truncate' | 'append' | 'dryRun', boolean>,
    Record<'maxWorkstreams' | 'concurrency', number> {
  title: string;
  column: string;
  description?: string;
  map?: Mapped;
  workstreamPattern?: RegExp;
  board?: string;
  url?: string;
  token?: string;
}

const boardOf = (file: string) => {
  if (file === '-') throw new ImportError('rows from standard input need a --board NAME');
  return shorten(basename(file, extname(file)), 120);
};

/** Reads the command line; a wrong one, and `--help`, end the process. @throws ImportError for input without a board */
export const readOptions = (args: string[], environment: ImportEnvironment) => {
  const parsed = command().parse(args, { from: 'user' });
  const { title, description, map = {}, workstreamPattern, ...options } = parsed.opts<Parsed>();
  const [named = ''] = parsed.args;
  const file = named === '-' ? named : resolve(environment.directory, named);
  return {
    ...options,
    /** A path, or `-` for standard input. */
    file,
    columns: { title, ...(description !== undefined && { description }), ...map } satisfies ColumnNames,
    pattern: workstreamPattern,
    board: (options.board ?? boardOf(file)).trim(),
    column: options.column.trim(),
    url: options.url ?? environment.url,
    token: options.token ?? environment.token,
  };
};
