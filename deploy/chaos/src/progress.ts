import type { History } from './history.ts';
import { progress } from './report.ts';

const begun = performance.now();
const clock = () => {
  const seconds = Math.floor((performance.now() - begun) / 1_000);
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
};

/** The time between two lines if there is no terminal, ms. */
const lineEveryMs = 30_000;
const eraseLine = '\r\x1b[K';

/** Prints a step of the run with the time since the start. It goes to stderr, as stdout has the report. */
export const report = (line: string): void => {
  process.stderr.write(`${process.stderr.isTTY ? eraseLine : ''}${clock()} ${line}\n`);
};

let lastShown = performance.now();

/** Shows the progress of a run: in the last line of a terminal, otherwise as a line every 30 s. */
export const showProgress = (history: History): void => {
  if (process.stderr.isTTY) {
    const line = `${clock()} ${progress(history)}`;
    process.stderr.write(`${eraseLine}${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
  } else if (performance.now() - lastShown >= lineEveryMs) {
    lastShown = performance.now();
    report(progress(history));
  }
};
