import { join } from 'node:path';
import type { Source } from '../issue.ts';
import type { Options } from '../options.ts';
import { grouped } from '../report.ts';
import { type Edge, withoutCycles } from './cycles.ts';
import { identityOf } from './identity.ts';
import { type Mapping, settleMapping } from './mapping.ts';
import { edgesOf, type Survey, surveySource } from './survey.ts';

/** Numbers of a workstream that comes along. */
export interface Numbers {
  prefix: string;
  /** Identifiers that cards have from now on. */
  current: number;
  /** Identifiers that cards had before. */
  former: number;
  highest: number;
  /** How many numbers below the highest nobody has, and the first few, as `5` or `7..12`. */
  free: number;
  ranges: string[];
}

/** What an import would do. */
export interface Plan {
  survey: Survey;
  mapping: Mapping;
  mappingFile: string;
  workstreams: Numbers[];
  /** Dependencies to be made: who waits for whom. */
  dependencies: Edge[];
  closing: { edge: Edge; cycle: string[] }[];
  /** How many of the dependencies have an end that is not in these files. */
  outside: number;
  /** Why it cannot be applied as it stands, a line each. */
  undecided: string[];
}

const maxLabels = 1_000;
const maxColumns = 200;
const shownRanges = 5;

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

const numbersOf = ({ numbers, former }: Survey): Numbers[] => {
  const formerNumbers = new Map<string, number[]>();
  for (const key of former.keys()) {
    const identity = identityOf(key);
    if (!identity) continue;
    const ofPrefix = formerNumbers.get(identity.prefix);
    if (ofPrefix) ofPrefix.push(identity.number);
    else formerNumbers.set(identity.prefix, [identity.number]);
  }
  const prefixes = [...new Set([...numbers.keys(), ...formerNumbers.keys()])];
  return prefixes
    .map((prefix) => {
      const [current, earlier] = [numbers.get(prefix) ?? [], formerNumbers.get(prefix) ?? []];
      return { prefix, current: current.length, former: earlier.length, ...freeOf([...current, ...earlier]) };
    })
    .sort((a, b) => b.current - a.current || b.former - a.former || (a.prefix < b.prefix ? -1 : 1));
};

const undecidedOf = (survey: Survey, mapping: Mapping, workstreams: Numbers[], options: Options): string[] => {
  const { refused, sameKey, labels } = survey;
  return [
    refused > 0 &&
      !options.leaveOutRefused &&
      `${grouped(refused)} of ${grouped(survey.rows)} rows cannot become cards; mend them, or say --leave-out-refused, or --truncate for those that are too long`,
    sameKey.size > 0 &&
      options.sameKey === undefined &&
      `${grouped(sameKey.size)} keys have several rows: say with --same-key whether the further ones become a card, a comment, or get a number of their own`,
    workstreams.length > options.maxWorkstreams &&
      `the files name ${grouped(workstreams.length)} workstreams, and a prefix once used is taken for ever; raise --max-workstreams if that is meant`,
    labels.size > maxLabels && `the files name ${grouped(labels.size)} labels, more than ${grouped(maxLabels)}`,
    mapping.columns.length > maxColumns &&
      `${grouped(mapping.columns.length)} columns are more than the ${maxColumns} of a board; put several statuses into one in the mapping`,
  ].filter((line) => line !== false);
};

/** Reads the exports and says what an import would do; writes nothing but the mapping. @throws CliError */
export const makePlan = async (source: Source, options: Options): Promise<Plan> => {
  const survey = await surveySource(source, options);
  const mappingFile = join(options.folder, 'mapping.json');
  const mapping = await settleMapping(mappingFile, survey, source.statuses, options.column);
  const { kept, closing } = withoutCycles(edgesOf(survey, (type) => mapping.links[type] ?? 'leave out'));
  const known = (key: string) => survey.keys.has(key);
  const nameable = kept.filter(([from, to]) => identityOf(from) && identityOf(to) && (known(from) || known(to)));
  const workstreams = numbersOf(survey);
  return {
    ...{ survey, mapping, mappingFile, workstreams, closing },
    dependencies: nameable,
    outside: nameable.filter((edge) => !edge.every(known)).length,
    undecided: undecidedOf(survey, mapping, workstreams, options),
  };
};
