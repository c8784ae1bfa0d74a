import { join } from 'node:path';
import { createBoard, mainPrefix, parseIdentifier, prefix as prefixSchema } from '@cardinal/contracts';
import { grouped, several } from '../../print.ts';
import type { Source } from '../issue.ts';
import type { Options } from '../options.ts';
import { type Edge, withoutCycles } from './cycles.ts';
import { identityBy } from './keys.ts';
import { type Mapping, meaningIn, settleMapping } from './mapping.ts';
import { longestName, nameOf } from './rows.ts';
import { type Examples, edgesOf, type Survey, surveySource } from './survey.ts';
import { shorten } from './texts.ts';

/** Numbers of an imported workstream. */
export interface Numbers {
  prefix: string;
  /** Identifiers that cards have from now on. */
  current: number;
  /** Identifiers that cards had before. */
  former: number;
  /** Rows without a key that get its numbers. */
  numbered: number;
  highest: number;
  /** How many numbers below the highest are unused, and the first few, as `5` or `7..12`. */
  free: number;
  ranges: string[];
}

/** The plan of an import. */
export interface Plan {
  survey: Survey;
  /** The name of the board, or its id. */
  board: string;
  mapping: Mapping;
  mappingFile: string;
  workstreams: Numbers[];
  /** The dependencies to create. */
  dependencies: Edge[];
  closing: { edge: Edge; cycle: string[] }[];
  /** The dependencies with a card that is not in these files. */
  outside: Edge[];
  /** Dependencies with an end that can be no identifier. */
  nameless: Edge[];
  /** Ends of links that match no key. */
  unnamed: Examples;
  /** Why it cannot be applied yet, a line each. */
  undecided: string[];
}

/** A few examples, and the number of further ones. */
export const listed = ({ rows, examples }: Examples): string =>
  `${[...examples].join(', ')}${rows > examples.size ? `, and ${grouped(rows - examples.size)} more` : ''}`;

const maxLabels = 1_000;
/** Of a board. */
export const maxColumns = 200;
const shownRanges = 5;
const shownNames = 5;

const freeOf = (taken: number[]) => {
  const ranges: string[] = [];
  let free = 0;
  let last = 0;
  for (const number of taken.toSorted((a, b) => a - b)) {
    if (number > last + 1) {
      free += number - last - 1;
      if (ranges.length < shownRanges) ranges.push(number === last + 2 ? `${last + 1}` : `${last + 1}..${number - 1}`);
    }
    last = Math.max(last, number);
  }
  return { highest: last, free, ranges };
};

/** Rows with the identifier of an earlier row. */
export const furtherRows = ({ sameKey }: Survey): number =>
  [...sameKey.values()].reduce((sum, count) => sum + count, 0);

/** How many rows get new numbers, by prefix. */
const numberedOf = (survey: Survey, { prefix = mainPrefix, sameKey }: Options): Map<string, number> => {
  const further = sameKey === 'card' ? furtherRows(survey) : 0;
  // Rows without a prefix so far have a number.
  const waiting = [...survey.foreign.values(), survey.bare].reduce((sum, { rows }) => sum + rows, 0);
  const keyless = survey.keyless - waiting;
  const all = new Map([[mainPrefix, further]]).set(prefix, keyless + (prefix === mainPrefix ? further : 0));
  return new Map([...all].filter(([, count]) => count > 0));
};

/** @param numbered how many rows get new numbers, by prefix */
const numbersOf = ({ numbers, former }: Survey, numbered: ReadonlyMap<string, number>): Numbers[] => {
  const formerNumbers = new Map<string, number[]>();
  for (const key of former.keys()) {
    const { prefix: of = '', number = 0 } = parseIdentifier(key) ?? {};
    const ofPrefix = formerNumbers.get(of);
    if (ofPrefix) ofPrefix.push(number);
    else formerNumbers.set(of, [number]);
  }
  const prefixes = [...new Set([...numbers.keys(), ...numbered.keys(), ...formerNumbers.keys()])];
  return prefixes
    .map((of) => {
      const [current, earlier] = [numbers.get(of) ?? [], formerNumbers.get(of) ?? []];
      return {
        prefix: of,
        current: current.length,
        former: earlier.length,
        ...freeOf([...current, ...earlier]),
        numbered: numbered.get(of) ?? 0,
      };
    })
    .sort((a, b) => b.current - a.current || b.former - a.former || (a.prefix < b.prefix ? -1 : 1));
};

/** A valid prefix that resembles another one. */
const suggestion = (prefix: string) => {
  const bare = prefix
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^[0-9]+/, '')
    .slice(0, 10);
  if (bare === mainPrefix) return `OLD${bare}`;
  return bare.length >= 2 ? bare : 'WEB';
};

const foreignLine = ([prefix, { rows, examples }]: [string, Examples]) => {
  const isPrefix = prefixSchema.safeParse(prefix).success;
  const problem = isPrefix
    ? 'without a hyphen before the number'
    : `with the prefix ${prefix}, which is not valid here (2 to 10 letters and digits)`;
  return `${several(rows, 'key')} ${problem}, such as ${[...examples][0]}; choose another prefix with --prefix-for, such as --prefix-for '${prefix}=${suggestion(prefix)}': numbers stay, and the old key is kept in the card's text`;
};

/** Why the API would refuse a board's name; undefined if it accepts it. */
const boardProblem = (name: string) => createBoard.http.body?.safeParse({ name }).error?.issues[0]?.message;

const undecidedOf = (
  survey: Survey,
  board: string,
  mapping: Mapping,
  workstreams: Numbers[],
  options: Options,
): string[] => {
  const { refused, sameKey, labels, bare, foreign } = survey;
  const wrongBoard = boardProblem(board);
  return [
    wrongBoard !== undefined &&
      `the name of the board "${shorten(board, 40)}" ${wrongBoard}; choose another one with --board, or shorten it with --truncate`,
    survey.keys.size + survey.keyless === 0 && 'there is nothing to import: no row becomes a card',
    bare.rows > 0 &&
      `${several(bare.rows, 'key is a number', 'keys are numbers')} alone (${listed(bare)}); choose a prefix with --prefix, such as --prefix WEB`,
    ...[...foreign].slice(0, 10).map(foreignLine),
    refused > 0 &&
      !options.leaveOutRefused &&
      `${grouped(refused)} of ${several(survey.rows, 'row')} cannot become cards; correct them, skip them with --leave-out-refused, or --truncate for those that are too long`,
    sameKey.size > 0 &&
      options.sameKey === undefined &&
      `${several(sameKey.size, 'key has', 'keys have')} several rows: choose with --same-key whether each further row becomes a card, a comment, or gets a number of its own`,
    workstreams.length > options.maxWorkstreams &&
      `the files name ${several(workstreams.length, 'workstream')}, and a prefix is never free again; raise --max-workstreams to import them all`,
    labels.size > maxLabels && `the files name ${grouped(labels.size)} labels, more than ${grouped(maxLabels)}`,
    mapping.columns.length > maxColumns &&
      `${grouped(mapping.columns.length)} columns are more than the ${maxColumns} of a board; put several statuses into one in the mapping`,
  ].filter((line) => line !== false);
};

/** Reads the exports and plans an import; writes only the mapping. @throws CliError */
export const makePlan = async (source: Source, options: Options): Promise<Plan> => {
  const survey = await surveySource(source, options);
  const mappingFile = join(options.folder, 'mapping.json');
  const mapping = await settleMapping(mappingFile, survey, source.statuses, options.column);
  const { kept, closing } = withoutCycles(
    edgesOf(survey, options, (type) => meaningIn(mapping.links, type) ?? 'leave out'),
  );
  const known = (key: string) => survey.keys.has(key);
  const isNamed = (edge: Edge) => edge.every((end) => identityBy(end, {}));
  const nameable = kept.filter(isNamed);
  const nameless = kept.filter((edge) => !isNamed(edge));
  const unnamed = nameless.map((edge) => edge.find((end) => !identityBy(end, {})) ?? '');
  const workstreams = numbersOf(survey, numberedOf(survey, options));
  const named = nameOf(options.board ?? source.name);
  const board = options.truncate ? shorten(named, longestName) : named;
  return {
    survey,
    board,
    mapping,
    mappingFile,
    workstreams,
    closing,
    dependencies: nameable,
    unnamed: { rows: unnamed.length, examples: new Set(unnamed.slice(0, shownNames)) },
    nameless,
    outside: nameable.filter((edge) => !edge.every(known)),
    undecided: undecidedOf(survey, board, mapping, workstreams, options),
  };
};
