import { Presets, SingleBar } from 'cli-progress';
import { grouped, several } from '../print.ts';
import type { LinkOutcome } from './apply/links.ts';
import type { Outcome } from './apply/outcome.ts';
import type { Cost, Undone } from './apply/undo.ts';

const duration = (ms: number): string => {
  const seconds = ms / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
};

/**
 * Shows the progress of an import or export: a live bar on a terminal, elsewhere a line every five seconds.
 * @param all the total; undefined if unknown
 */
export const showProgress = async <T>(
  work: Promise<T>,
  { what, done, all }: { what: string; done: () => number; all?: number },
): Promise<T> => {
  const ofAll = `{bar} {percentage}% | {value}/{total} ${what}s | {duration_formatted}`;
  // Without a terminal the bar prints nothing.
  const bar = new SingleBar(
    { format: all === undefined ? `{value} ${what}s` : ofAll, hideCursor: true },
    Presets.shades_classic,
  );
  bar.start(all ?? 0, done());
  const report = () => {
    const [count, percent] = [done(), Math.floor((done() / (all ?? 1)) * 100)];
    const line = all === undefined ? several(count, what) : `${grouped(count)} of ${several(all, what)} (${percent}%)`;
    process.stderr.write(`${line}\n`);
  };
  const timer = process.stderr.isTTY ? setInterval(() => bar.update(done()), 100) : setInterval(report, 5_000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    bar.update(done());
    bar.stop();
  }
};

const shownProblems = 20;
const shownKeys = 5;

/** Lists all of them: each is a row that would otherwise be missing silently. */
const refusedLines = ({ refused }: Outcome): string[] => refused.map(({ place, problem }) => `${place}: ${problem}`);

/** A few lines, and how many more there are. */
const some = (lines: string[]): string[] => [
  ...lines.slice(0, shownProblems),
  ...(lines.length > shownProblems ? [`  and ${grouped(lines.length - shownProblems)} more`] : []),
];

/** Prints what becomes of the cards that are already there. @param isDone whether it was done, or is planned */
const correctionLines = ({ alreadyThere, updated, unchanged, left, withFewer }: Outcome, isDone: boolean): string[] => {
  if (alreadyThere === 0) return [];
  const fieldsOf = (fields: string[]) => (fields.length > 0 ? ` (${fields.join(', ')})` : '');
  return [
    `of those already there: ${grouped(updated.length)} ${isDone ? 'updated' : 'to update'}, ${grouped(unchanged)} unchanged, ${grouped(left.length)} left alone`,
    ...some(updated.map(({ name, fields }) => `  ${isDone ? 'updated' : 'to update'}: ${name}${fieldsOf(fields)}`)),
    // Each is a correction that does not happen.
    ...left.map(({ name, fields, why }) => `  left alone: ${name}${fieldsOf(fields)}: ${why}`),
    ...(withFewer.length > 0
      ? [
          `comments and subtasks are made with their card alone; not made here: those that ${several(withFewer.length, 'row has', 'rows have')} beyond their cards`,
          ...withFewer.map((name) => `  ${name}`),
        ]
      : []),
  ];
};

/** Prints the cards of earlier runs that no row describes any more. */
export const describeWithoutRow = (names: string[]): string[] =>
  names.length === 0
    ? []
    : [
        `in no row any more, and left as they are: ${several(names.length, 'card')}`,
        ...some(names.map((name) => `  ${name}`)),
      ];

/** Prints the outcomes of the cards of a plan. */
export const describeOutcome = (outcome: Outcome, board: string, elapsedMs: number): string[] => [
  ...refusedLines(outcome),
  `board "${board}": ${several(outcome.created, 'card')} made, ${grouped(outcome.alreadyThere)} already there, ${grouped(outcome.refused.length)} refused, ${duration(elapsedMs)}`,
  ...correctionLines(outcome, true),
];

/** Prints how rows of a plan collide with the workspace; nothing if all are new. */
export const describeForeseen = (outcome: Outcome): string[] => {
  const { created, alreadyThere, refused } = outcome;
  if (alreadyThere + refused.length === 0) return [];
  const rows = `in the workspace: ${several(created, 'card is', 'cards are')} new, ${grouped(alreadyThere)} already there, ${grouped(refused.length)} refused`;
  return [...refusedLines(outcome), rows, ...correctionLines(outcome, false)];
};

/** Prints the links that lead nowhere: each of them, as a dependency would otherwise be missing silently. */
export const describeMissing = (lines: string[]): string[] =>
  lines.length === 0
    ? []
    : [
        `${several(lines.length, 'link names an issue that is', 'links name issues that are')} not there:`,
        ...lines.map((line) => `  ${line}`),
      ];

/** Prints the outcomes of dependencies. */
export const describeLinks = ({ made, refused, missing }: LinkOutcome): string[] => [
  several(made, 'dependency', 'dependencies'),
  ...refused.map((line) => `  not made: ${line}`),
  ...(missing.length > 0
    ? [`  ${several(missing.length, 'leads', 'lead')} to cards that are not there: ${missing.join(', ')}`]
    : []),
];

/** Prints what an undo would delete. */
export const describeCost = ({ cards, identifiers }: Cost): string[] =>
  cards === 0
    ? []
    : [
        `${several(cards, 'card')} to delete; ${several(identifiers.length, 'key is', 'keys are')} used up for ever and never given again, not to an import either: ${identifiers.slice(0, shownKeys).join(', ')}${identifiers.length > shownKeys ? ', …' : ''}`,
      ];

/** Prints what an undo did. */
export const describeUndone = ({ cards, gone, others, left }: Undone): string[] => [
  `${several(cards, 'card')} deleted${others.length > 0 ? `, and ${others.join(', ')}` : ''}`,
  ...(gone > 0 ? [`  ${several(gone, 'card was', 'cards were')} deleted before`] : []),
  ...left.slice(0, shownProblems).map((line) => `  left: ${line}`),
  ...(left.length > shownProblems ? [`  and ${grouped(left.length - shownProblems)} more`] : []),
];
