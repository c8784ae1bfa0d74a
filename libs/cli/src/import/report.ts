import { Presets, SingleBar } from 'cli-progress';

/** 6523 as 6,523. */
export const grouped = (number: number): string => number.toLocaleString('en-US');

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
    process.stderr.write(`${grouped(done())} of ${grouped(all)} cards (${percent}%)\n`);
  };
  const timer = process.stderr.isTTY ? setInterval(() => bar.update(done()), 100) : setInterval(report, 5_000);
  return () => {
    clearInterval(timer);
    bar.update(done());
    bar.stop();
  };
};

const shownProblems = 20;

/** What became of the cards of a plan. */
export const describeOutcome = (
  {
    created,
    alreadyThere,
    refused,
  }: { created: number; alreadyThere: number; refused: { place: string; problem: string }[] },
  board: string,
  elapsedMs: number,
): string[] => [
  ...refused.slice(0, shownProblems).map(({ place, problem }) => `${place}: ${problem}`),
  ...(refused.length > shownProblems ? [`and ${grouped(refused.length - shownProblems)} more`] : []),
  `board "${board}": ${grouped(created)} cards made, ${grouped(alreadyThere)} already there, ${grouped(refused.length)} refused, ${duration(elapsedMs)}`,
];

/** What an undo did. */
export const describeUndone = ({
  cards,
  others,
  left,
}: {
  cards: number;
  others: string[];
  left: string[];
}): string[] => [
  `${grouped(cards)} cards deleted${others.length > 0 ? `, and ${others.join(', ')}` : ''}`,
  ...left.slice(0, shownProblems).map((line) => `  left: ${line}`),
  ...(left.length > shownProblems ? [`  and ${grouped(left.length - shownProblems)} more`] : []),
];
