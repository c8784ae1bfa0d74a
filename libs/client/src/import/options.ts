import { basename, extname, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { ImportEnvironment } from './config.ts';
import { shorten } from './rows/shorten.ts';

/** An import as the person asked for it. */
export interface ImportOptions {
  file: string;
  title: string;
  description: string | undefined;
  pattern: RegExp | undefined;
  truncate: boolean;
  board: string;
  column: string;
  append: boolean;
  dryRun: boolean;
  maxWorkstreams: number;
  url: string;
  token: string | undefined;
  concurrency: number;
}

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

const longestName = 120;

const command = () =>
  new Command('import')
    .description('Creates a card for each row of a CSV or TSV file. Stopped and run again, it makes no card twice.')
    .argument('<file>', 'CSV or TSV with a header')
    .requiredOption('--title <column>', 'the column that holds the titles')
    .option('--description <column>', 'the column that holds the descriptions')
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
    .option('--concurrency <n>', 'requests at once', integer(1, 256), 16)
    .option('--url <url>', 'where Cardinal listens (default: CARDINAL_URL or http://127.0.0.1:8080)', webAddress)
    .option('--token <token>', 'access token (default: CARDINAL_TOKEN, which shows in no list of processes)')
    .allowExcessArguments(false);

interface Parsed extends Omit<ImportOptions, 'file' | 'pattern' | 'board' | 'url'> {
  workstreamPattern?: RegExp;
  board?: string;
  url?: string;
}

/**
 * Reads the command line. A wrong one, and `--help`, end the process with what commander says.
 * @param args without the program's own name
 */
export const readOptions = (args: string[], environment: ImportEnvironment): ImportOptions => {
  const parsed = command().parse(args, { from: 'user' });
  const { workstreamPattern, ...options } = parsed.opts<Parsed>();
  const file = resolve(environment.directory, parsed.args[0] ?? '');
  return {
    ...options,
    file,
    description: options.description,
    pattern: workstreamPattern,
    board: (options.board ?? shorten(basename(file, extname(file)), longestName)).trim(),
    column: options.column.trim(),
    url: options.url ?? environment.url,
    token: options.token ?? environment.token,
  };
};
