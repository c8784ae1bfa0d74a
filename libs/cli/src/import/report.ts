import { Presets, SingleBar } from 'cli-progress';
import { grouped, several } from '../print.ts';

const duration = (ms: number): string => {
  const seconds = ms / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
};

/** Shows how far the import is, until the result is called: a bar on a terminal, elsewhere a line every five seconds. */
export const showProgress = (all: number, done: () => number): (() => void) => {
  const format = '{bar} {percentage}% | {value}/{total} cards | {duration_formatted}';
  // Elsewhere than on a terminal the bar says nothing.
  const bar = new SingleBar({ format, hideCursor: true }, Presets.shades_classic);
  bar.start(all, done());
  const report = () => {
    const percent = Math.floor((done() / all) * 100);
    process.stderr.write(`${grouped(done())} of ${several(all, 'card')} (${percent}%)\n`);
  };
  const timer = process.stderr.isTTY ? setInterval(() => bar.update(done()), 100) : setInterval(report, 5_000);
  return () => {
    clearInterval(timer);
    bar.update(done());
    bar.stop();
  };
};

const shownProblems = 20;

interface Outcome {
  created: number;
  alreadyThere: number;
  refused: { place: string; problem: string }[];
}

/** Every one of them: each is a row that is missing otherwise without anybody noticing. */
const refusedLines = ({ refused }: Outcome): string[] => refused.map(({ place, problem }) => `${place}: ${problem}`);

/** What became of the cards of a plan. */
export const describeOutcome = (outcome: Outcome, board: string, elapsedMs: number): string[] => [
  ...refusedLines(outcome),
  `board "${board}": ${several(outcome.created, 'card')} made, ${grouped(outcome.alreadyThere)} already there, ${grouped(outcome.refused.length)} refused, ${duration(elapsedMs)}`,
];

/** What the workspace will say of a plan; nothing where all of it is new. */
export const describeForeseen = (outcome: Outcome): string[] => {
  const { created, alreadyThere, refused } = outcome;
  if (alreadyThere + refused.length === 0) return [];
  const rows = `in the workspace: ${several(created, 'card is', 'cards are')} new, ${grouped(alreadyThere)} already there, ${grouped(refused.length)} refused`;
  return [...refusedLines(outcome), rows];
};

/** What an undo did. */
export const describeUndone = ({
  cards,
  gone,
  others,
  left,
}: {
  cards: number;
  gone: number;
  others: string[];
  left: string[];
}): string[] => [
  `${several(cards, 'card')} deleted${others.length > 0 ? `, and ${others.join(', ')}` : ''}`,
  ...(gone > 0 ? [`  ${several(gone, 'card was', 'cards were')} deleted before`] : []),
  ...left.slice(0, shownProblems).map((line) => `  left: ${line}`),
  ...(left.length > shownProblems ? [`  and ${grouped(left.length - shownProblems)} more`] : []),
];
