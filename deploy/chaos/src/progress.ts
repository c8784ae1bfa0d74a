import type { History } from './history.ts';
import { progress } from './report.ts';

const begun = performance.now();
const clock = () => {
  const seconds = Math.floor((performance.now() - begun) / 1_000);
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
};

/** Where there is no terminal, a line that many seconds. */
const lineEveryMs = 30_000;
const eraseLine = '\r\x1b[K';

/** Prints a step of the run, with the time since the start, to stderr, where it does not mix with the report. */
export const report = (line: string): void => {
  process.stderr.write(`${process.stderr.isTTY ? eraseLine : ''}${clock()} ${line}\n`);
};

let lastShown = performance.now();

/** Shows how a run gets on: on a terminal in its last line, elsewhere in a line every now and then. */
export const showProgress = (history: History): void => {
  if (process.stderr.isTTY) {
    const line = `${clock()} ${progress(history)}`;
    process.stderr.write(`${eraseLine}${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
  } else if (performance.now() - lastShown >= lineEveryMs) {
    lastShown = performance.now();
    report(progress(history));
  }
};
