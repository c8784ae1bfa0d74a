import { basename, extname, join, resolve } from 'node:path';
import { prefix as prefixSchema } from '@cardinal/contracts';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ImportEnvironment } from './config.ts';
import { ImportError } from './report.ts';
import { type ColumnField, type ColumnNames, columnFields } from './sources/columns.ts';

/** Trackers that an import reads. */
const trackers = ['jira', 'linear', 'github', 'trello', 'csv'] as const;
type Tracker = (typeof trackers)[number];

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

const timeZone = (text: string) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new InvalidArgumentError('It must be a time zone, such as Europe/Berlin.');
  }
};

const prefixOf = (text: string) => {
  const parsed = prefixSchema.safeParse(text);
  if (parsed.success && parsed.data !== 'MAIN') return parsed.data;
  throw new InvalidArgumentError('It must be 2 to 10 letters and digits that begin with a letter, and not MAIN.');
};

const mapping = (text: string, former: ColumnNames = {}): ColumnNames => {
  const [, name, column = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const field = columnFields.find((one) => one === name);
  if (!field || column === '') {
    throw new InvalidArgumentError(`It must be FIELD=COLUMN, the field one of ${columnFields.join(', ')}.`);
  }
  return { ...former, [field]: [...(former[field] ?? []), column] };
};

const command = () =>
  new Command('import')
    .description(
      "Moves issues of another tracker in, with their identifiers. Without --apply it writes nothing but a plan's mapping.json.",
    )
    .argument('<files...>', 'what the tracker exported; - reads a table from standard input')
    .addOption(
      new Option('--from <tracker>', 'where the files come from; of an export see --from cardinal --help')
        .choices([...trackers])
        .default('csv'),
    )
    .option('--title <column>', 'of a table: the column of the titles')
    .option('--description <column>', 'of a table: the column of the descriptions')
    .option('--map <field=column>', `of a table, repeatable: the column of ${columnFields.join(', ')}`, mapping)
    .option(
      '--key-pattern <regex>',
      'finds an identifier in the title: the first group, or the whole match',
      expression,
    )
    .option('--prefix <prefix>', 'of numbers that have none: those of GitHub, Trello, and rows without a key', prefixOf)
    .option('--former-keys <file>', "earlier keys: a table of key and former keys, or Jira's change logs as JSON")
    .addOption(
      new Option(
        '--same-key <what>',
        'further rows of a key become cards of the default workstream, comments of the first row, or get new numbers',
      ).choices(['card', 'comment', 'number']),
    )
    .option('--time-zone <zone>', 'of dates that say none', timeZone, 'UTC')
    .addOption(
      new Option('--date-order <order>', 'of 6/7/2025, where the file does not show it').choices(['dmy', 'mdy']),
    )
    .option('--board <name>', "name or id of the board, made if missing (default: the file's or board's name)")
    .option('--column <name>', 'column of issues without a status', 'Imported')
    .option('--truncate', 'shorten what is too long for a title or description', false)
    .option('--leave-out-refused', 'go on without the rows that cannot become cards', false)
    .option('--run <folder>', "where mapping and journal are kept (default: the first file's name and .import)")
    .option('--max-workstreams <n>', 'refuse files that name more: prefixes are for ever', integer(1, 10_000), 100)
    .option(
      '--concurrency <n>',
      'batches of a hundred at once; above 1 they may swap places in a column (default: 4, of a board of Trello 1)',
      integer(1, 64),
    )
    .option('--apply', 'do what is planned; stopped and run again it goes on', false)
    .option('--open', 'with --apply: end the import for good, so that its workstreams number new cards', false)
    .option('--undo', 'delete what the run made, where nothing has touched it since', false)
    .option('--url <url>', 'where Cardinal listens (default: CARDINAL_URL or http://127.0.0.1:8080)', webAddress)
    .option('--token <token>', 'access token (default: CARDINAL_TOKEN, which shows in no list of processes)');

interface Parsed {
  from: Tracker;
  title?: string;
  description?: string;
  map?: ColumnNames;
  keyPattern?: RegExp;
  prefix?: string;
  formerKeys?: string;
  sameKey?: 'card' | 'comment' | 'number';
  timeZone: string;
  dateOrder?: 'dmy' | 'mdy';
  board?: string;
  column: string;
  truncate: boolean;
  leaveOutRefused: boolean;
  run?: string;
  maxWorkstreams: number;
  concurrency?: number;
  apply: boolean;
  open: boolean;
  undo: boolean;
  url?: string;
  token?: string;
}

/** An import as the person asked for it. */
export type Options = ReturnType<typeof readOptions>;

/**
 * Reads the command line; a wrong one, and `--help`, end the process.
 * @throws ImportError for options that do not go together
 */
export const readOptions = (args: string[], environment: ImportEnvironment) => {
  const parsed = command().parse(args, { from: 'user' });
  const { title, description, map = {}, ...options } = parsed.opts<Parsed>();
  const path = (name: string) => (name === '-' ? name : resolve(environment.directory, name));
  const files = parsed.args.map(path);
  const [first = ''] = files;
  if (options.prefix === undefined && ['github', 'trello'].includes(options.from)) {
    throw new ImportError(`numbers of ${options.from} have no prefix; choose one with --prefix, such as --prefix WEB`);
  }
  if (options.undo && options.apply) throw new ImportError('--apply and --undo are two commands');
  if (options.open && !options.apply) throw new ImportError('--open needs --apply');
  if (options.from === 'trello' && files.length > 1) {
    throw new ImportError(
      'boards of Trello number their cards each from 1; import them one by one, each with its --prefix',
    );
  }
  if (files.includes('-') && (files.length > 1 || options.board === undefined)) {
    throw new ImportError('rows from standard input come alone and need a --board NAME');
  }
  const named = (field: ColumnField, column: string | undefined) =>
    column === undefined ? {} : { [field]: [column, ...(map[field] ?? [])] };
  const folder = options.run ?? (first === '-' ? `${options.board}.import` : `${basename(first)}.import`);
  return {
    ...options,
    /** Batches at once; a board of Trello has an order, which batches after each other keep. */
    concurrency: options.concurrency ?? (options.from === 'trello' ? 1 : 4),
    /** Paths, or `-` for standard input. */
    files,
    columns: { ...map, ...named('title', title), ...named('description', description) } satisfies ColumnNames,
    formerKeys: options.formerKeys === undefined ? undefined : path(options.formerKeys),
    /** Of the run: mapping and journal. */
    folder:
      (options.run ?? first === '-') ? resolve(environment.directory, folder) : join(resolve(first, '..'), folder),
    url: options.url ?? environment.url,
    token: options.token ?? environment.token,
    defaultBoard: first === '-' ? '' : basename(first, extname(first)),
  };
};
