import { relative } from 'node:path';
import { mainPrefix } from '@cardinal/contracts';
import { grouped, several } from '../../print.ts';
import type { Options } from '../options.ts';
import { meaningIn } from './mapping.ts';
import { furtherRows, listed, type Numbers, type Plan } from './plan.ts';
import { longestName } from './rows.ts';
import { lengthOf } from './texts.ts';

const shownCycles = 10;

/** Formats a table with a head; numbers are aligned right. */
const columnsOf = (head: string[], rows: (string | number)[][]): string[] => {
  const cells = [head, ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? grouped(cell) : cell)))];
  const widths = head.map((_, n) => Math.max(...cells.map((row) => row[n]?.length ?? 0)));
  const isNumber = head.map((_, n) => rows.every((row) => typeof row[n] === 'number'));
  return cells.map((row) =>
    `  ${row.map((cell, n) => (isNumber[n] ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0))).join('  ')}`.trimEnd(),
  );
};

const numbersRow = ({ prefix, current, former, highest, free, ranges }: Numbers) => [
  prefix,
  current,
  former,
  highest,
  free,
  `${ranges.join(', ')}${ranges.length === 5 ? ', …' : ''}`,
];

const unmapped = (counts: Map<string, number>, meaning: Record<string, unknown>) =>
  [...counts]
    .filter(([name]) => (meaningIn(meaning, name) ?? null) === null)
    .reduce((sum, [, count]) => sum + count, 0);

/** Lists what is not imported: field, count, reason. */
const leftOut = ({ survey, mapping, closing, unnamed }: Plan, options: Options): [string, number, string][] => {
  const ofFields = [...survey.leftOut].flatMap(([field, reasons]) =>
    [...reasons].map(([why, count]): [string, number, string] => [field, count, why]),
  );
  const ofLinks = [...survey.links]
    .filter(([type]) => meaningIn(mapping.links, type) === 'leave out')
    .map(([type, count]): [string, number, string] => [`links: ${type}`, count, 'the mapping says to leave them out']);
  const more: [string, number, string][] = [
    ['rows', options.leaveOutRefused ? survey.refused : 0, 'they cannot become cards'],
    ['priorities', unmapped(survey.priorities, mapping.priorities), 'the mapping has null for them'],
    ['assignees and creators', unmapped(survey.people, mapping.people), 'the mapping has null for them'],
    [
      'former keys',
      survey.formerRefused.rows,
      `another row has the key, or it is not a valid identifier: ${listed(survey.formerRefused)}`,
    ],
    ['links to unknown keys', unnamed.rows, `no issue has this key: ${listed(unnamed)}`],
    ['links that close a cycle', closing.length, 'a card cannot depend on itself, see below'],
    ...[...survey.shortened].map(([what, count]): [string, number, string] => [`ends of ${what}`, count, '--truncate']),
  ];
  return [...ofFields, ...ofLinks, ...more.filter(([, count]) => count > 0)].sort((a, b) => b[1] - a[1]);
};

/** How many cards an import makes. */
export const cardsOf = ({ survey }: Pick<Plan, 'survey'>, { sameKey }: Options): number => {
  return survey.keys.size + survey.keyless + (sameKey === 'comment' ? 0 : furtherRows(survey));
};

const sameKeyLine = ({ survey }: Plan): string => {
  const most = [...survey.sameKey].sort((a, b) => b[1] - a[1]);
  const shown = most.slice(0, 10).map(([key, count]) => `${key} ${grouped(count + 1)}`);
  return `collisions: ${several(survey.sameKey.size, 'key has', 'keys have')} several rows, ${grouped(furtherRows(survey))} beyond the first: ${shown.join(', ')}${most.length > 10 ? ', …' : ''}`;
};

const cycleLines = ({ closing }: Plan): string[] => [
  'cycles (the last link of each is left out):',
  ...closing.slice(0, shownCycles).map(({ cycle }) => `  ${cycle.join(' > ')}`),
  ...(closing.length > shownCycles ? [`  and ${grouped(closing.length - shownCycles)} more`] : []),
];

const crossedWords = {
  closed: ['row was closed before it was created', 'rows were closed before they were created'],
  updated: ['row was updated before it was created', 'rows were updated before they were created'],
  due: ['row is due before it began', 'rows are due before they began'],
  ahead: ['row was updated in the future', 'rows were updated in the future'],
} as const;

/** Lists renamed values, and rows to check. */
const nameLines = ({ survey, mapping }: Plan): string[] => [
  ...(survey.respelled.rows > 0 ? [`keys that are spelled differently here: ${listed(survey.respelled)}`] : []),
  ...[...survey.crossed].map(
    ([what, rows]) => `${several(rows.rows, crossedWords[what][0], crossedWords[what][1])}: ${listed(rows)}`,
  ),
  ...mapping.columns.flatMap(({ name, statuses }) =>
    statuses
      .filter((status) => lengthOf(status) > longestName)
      .map((status) => `column "${name}" is the shortened form of a name of ${lengthOf(status)} characters`),
  ),
];

const headings = ['workstream', 'cards', 'former', 'highest', 'gaps', 'unused numbers'];

/** Describes a plan, line by line. */
export const describePlan = (plan: Plan, options: Options, notes: string[]): string[] => {
  const { survey, mapping, workstreams, dependencies, outside, undecided } = plan;
  const rowsOf = (names: string[]) => names.reduce((sum, name) => sum + (survey.statuses.get(name)?.rows ?? 0), 0);
  const columns = mapping.columns.map(({ name, statuses }) => `${name} ${grouped(rowsOf(statuses))}`);
  const comments = survey.comments + (options.sameKey === 'comment' ? furtherRows(survey) : 0);
  const table = leftOut(plan, options);
  const unlisted = survey.refused - survey.refusals.length;
  return [
    survey.refusals.map(({ place, problem }) => `${place.file}:${place.line}: ${problem}`),
    unlisted > 0 && `and ${grouped(unlisted)} more`,
    `${several(survey.rows, 'row')}: ${several(cardsOf(plan, options), 'card')}${survey.repeated > 0 ? `; ${several(survey.repeated, 'row is a duplicate and counts', 'rows are duplicates and count')} once` : ''}`,
    workstreams.some(({ current, former }) => current + former > 0) && columnsOf(headings, workstreams.map(numbersRow)),
    ...workstreams.map(
      ({ prefix, numbered }) =>
        numbered > 0 &&
        `${several(numbered, 'card without a key gets', 'cards without a key get')} numbers of ${prefix}${prefix === mainPrefix ? ', the default workstream' : ' after its highest'}`,
    ),
    nameLines(plan),
    `columns: ${columns.join(', ')}`,
    `${several(survey.labels.size, 'label')}, ${several(comments, 'comment')}, ${several(survey.subtasks, 'subtask')}, ${several(dependencies.length, 'dependency', 'dependencies')}${outside.length > 0 ? `, ${grouped(outside.length)} of them on issues outside these files` : ''}`,
    notes,
    survey.sameKey.size > 0 && sameKeyLine(plan),
    plan.closing.length > 0 && cycleLines(plan),
    table.length > 0 ? ['not imported:', ...columnsOf(['field', 'how often', 'why'], table)] : 'everything is imported',
    undecided.map((line) => `to decide: ${line}`),
    `edit the meaning of statuses, priorities, people and links in ${relative(process.cwd(), plan.mappingFile)}`,
  ]
    .flat()
    .filter((line) => line !== false);
};
