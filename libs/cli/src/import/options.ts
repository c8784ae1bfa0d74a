import { basename, join, resolve } from 'node:path';
import { prefix as prefixSchema } from '@cardinal/contracts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { wholeNumber } from '../operations/values.ts';
import { type ColumnField, type ColumnNames, columnFields } from './sources/columns.ts';

/** Trackers that an import reads. */
const trackers = ['jira', 'linear', 'github', 'trello', 'csv'] as const;
type Tracker = (typeof trackers)[number];

/** The options of an import of a Cardinal export; the others are for trackers. */
const optionsOfCardinal = ['from', 'run', 'apply'];

const expression = (text: string) => {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
};

const timeZone = (text: string) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new InvalidArgumentError('It must be a time zone, such as Europe/Berlin.');
  }
};

const encoding = (text: string) => {
  try {
    return new TextDecoder(text).encoding;
  } catch {
    throw new InvalidArgumentError('It must be an encoding, such as windows-1252 or utf-16le.');
  }
};

const prefixOf = (text: string) => {
  const parsed = prefixSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It must be 2 to 10 letters and digits that begin with a letter.');
};

const prefixFor = (text: string, former: ReadonlyMap<string, string> = new Map()) => {
  const [, old = '', chosen = ''] = /^(.+)=([^=]*)$/s.exec(text) ?? [];
  if (old.trim() === '') throw new InvalidArgumentError('It must be OLD=NEW, such as BIZ_TOOLS=BIZ.');
  return new Map([...former, [old.trim().toUpperCase(), prefixOf(chosen)]]);
};

const mapping = (text: string, former: ColumnNames = {}): ColumnNames => {
  const [, name, column = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const field = columnFields.find((one) => one === name);
  if (!field || column === '') {
    throw new InvalidArgumentError(`It must be FIELD=COLUMN, the field one of ${columnFields.join(', ')}.`);
  }
  return { ...former, [field]: [...(former[field] ?? []), column] };
};

/** Declares the options of the command. */
export const declareOptions = (command: Command): Command =>
  command
    .description(
      "Moves issues of another tracker in, with their identifiers, or an export of Cardinal. Without --apply it writes nothing but a plan's mapping.json.",
    )
    .argument('<files...>', 'what the tracker exported; - reads a table from standard input; of Cardinal the folder')
    .addOption(
      new Option('--from <tracker>', 'where the files come from').choices([...trackers, 'cardinal']).default('csv'),
    )
    .option('--title <column>', 'of a table: the column of the titles')
    .option('--description <column>', 'of a table: the column of the descriptions')
    .option('--map <field=column>', `of a table, repeatable: the column of ${columnFields.join(', ')}`, mapping)
    .option(
      '--key-pattern <regex>',
      'finds an identifier in the title: the first group, or the whole match',
      expression,
    )
    .option(
      '--prefix <prefix>',
      'of keys that are numbers alone, as those of GitHub and Trello, and of rows without a key',
      prefixOf,
    )
    .option(
      '--prefix-for <old=new>',
      'repeatable: the prefix in the place of one that keys have there; numbers stay, the old key stays in the text',
      prefixFor,
    )
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
    .option('--encoding <name>', 'what the files are written in, where they do not show it', encoding)
    .option('--board <name>', "name or id of the board, made if missing (default: the file's or board's name)")
    .option('--column <name>', 'column of issues without a status', 'Imported')
    .option('--truncate', 'shorten what is too long for a title, a description or a name', false)
    .option('--leave-out-refused', 'go on without the rows that cannot become cards', false)
    .option('--run <folder>', "where mapping and journal are kept (default: the first file's name and .import)")
    .option('--max-workstreams <n>', 'refuse files that name more: prefixes are for ever', wholeNumber(1, 10_000), 100)
    .option(
      '--concurrency <n>',
      'batches of a hundred at once; above 1 they may swap places in a column (default: 4, of a board of Trello 1)',
      wholeNumber(1, 64),
    )
    .option('--apply', 'do what is planned; stopped and run again it goes on', false)
    .option('--open', 'with --apply: end the import for good, so that its workstreams number new cards', false)
    .option('--undo', 'delete what the run made, where nothing has touched it since', false)
    .option('--yes', 'with --undo: delete, though the identifiers are used up for ever', false);

/** The parsed command line. */
export interface Parsed {
  from: Tracker | 'cardinal';
  title?: string;
  description?: string;
  map?: ColumnNames;
  keyPattern?: RegExp;
  prefix?: string;
  prefixFor?: ReadonlyMap<string, string>;
  formerKeys?: string;
  sameKey?: 'card' | 'comment' | 'number';
  timeZone: string;
  dateOrder?: 'dmy' | 'mdy';
  encoding?: string;
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
  yes: boolean;
}

/** An import from a tracker, by the user's options. */
export type Options = ReturnType<typeof readOptions>;

/**
 * Whether the options ask for an import of a Cardinal export.
 * @throws UsageError for options that do not apply to it
 */
export const isFromCardinal = (command: Command): boolean => {
  if (command.opts<Parsed>().from !== 'cardinal') return false;
  const said = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
  const other = said.find((option) => !optionsOfCardinal.includes(option.attributeName()));
  if (other) throw new UsageError(`${other.long} means nothing with --from cardinal`);
  if (command.args.length > 1) throw new UsageError('an export of Cardinal is one folder');
  return true;
};

/**
 * Reads the options of an import from a tracker.
 * @param directory the base of relative paths
 * @throws UsageError for options that exclude each other
 */
export const readOptions = (given: string[], parsed: Parsed, directory: string) => {
  const { title, description, map = {}, from: tracker, ...options } = parsed;
  const from = tracker as Tracker;
  const path = (name: string) => (name === '-' ? name : resolve(directory, name));
  const files = given.map(path);
  const [first = ''] = files;
  if (options.prefix === undefined && ['github', 'trello'].includes(from)) {
    throw new UsageError(`numbers of ${from} have no prefix; choose one with --prefix, such as --prefix WEB`);
  }
  if (options.undo && options.apply) throw new UsageError('--apply and --undo are two commands');
  if (options.yes && !options.undo) throw new UsageError('--yes needs --undo');
  if (options.open && !options.apply) throw new UsageError('--open needs --apply');
  if (from === 'trello' && files.length > 1) {
    throw new UsageError(
      'boards of Trello number their cards each from 1; import them one by one, each with its --prefix',
    );
  }
  if (files.includes('-') && (files.length > 1 || options.board === undefined)) {
    throw new UsageError('rows from standard input come alone and need a --board NAME');
  }
  const named = (field: ColumnField, column: string | undefined) =>
    column === undefined ? {} : { [field]: [column, ...(map[field] ?? [])] };
  const folder = options.run ?? (first === '-' ? `${options.board}.import` : `${basename(first)}.import`);
  return {
    ...options,
    from,
    /** How many batches are sent at once; one for Trello, to keep the order of a board. */
    concurrency: options.concurrency ?? (from === 'trello' ? 1 : 4),
    /** Paths, or `-` for standard input. */
    files,
    columns: { ...map, ...named('title', title), ...named('description', description) } satisfies ColumnNames,
    formerKeys: options.formerKeys === undefined ? undefined : path(options.formerKeys),
    /** The folder of the run, with mapping and journal. */
    folder: (options.run ?? first === '-') ? resolve(directory, folder) : join(resolve(first, '..'), folder),
  };
};
