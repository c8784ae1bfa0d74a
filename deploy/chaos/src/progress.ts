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

/** Tells a step of the run, with the time since the start, where it is not in the way of what is printed. */
export const tell = (line: string): void => {
  process.stderr.write(`${process.stderr.isTTY ? eraseLine : ''}${clock()} ${line}\n`);
};

let told = performance.now();

/** Shows how a run gets on: on a terminal in its last line, elsewhere in a line every now and then. */
export const showProgress = (history: History): void => {
  if (process.stderr.isTTY) {
    const line = `${clock()} ${progress(history)}`;
    process.stderr.write(`${eraseLine}${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
  } else if (performance.now() - told >= lineEveryMs) {
    told = performance.now();
    tell(progress(history));
  }
};
