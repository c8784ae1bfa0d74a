import { Presets, SingleBar } from 'cli-progress';
import { grouped } from './numbers.ts';

/** Shows how far the import is. */
export interface Progress {
  stop(): void;
}

const lineEveryMs = 5_000;

/**
 * Shows progress: a bar on a terminal, elsewhere (a log, a pipe) a line every five seconds.
 * @param done rows done so far
 */
export const showProgress = (
  total: number,
  done: () => number,
  stream: NodeJS.WriteStream = process.stderr,
): Progress => (stream.isTTY ? bar(total, done, stream) : lines(total, done, stream));

const bar = (total: number, done: () => number, stream: NodeJS.WriteStream): Progress => {
  const shown = new SingleBar(
    { stream, format: '{bar} {percentage}% | {value}/{total} rows | {duration_formatted}', hideCursor: true },
    Presets.shades_classic,
  );
  shown.start(total, done());
  const timer = setInterval(() => shown.update(done()), 100);
  return {
    stop: () => {
      clearInterval(timer);
      shown.update(done());
      shown.stop();
    },
  };
};

const lines = (total: number, done: () => number, stream: NodeJS.WriteStream): Progress => {
  const timer = setInterval(() => {
    const percent = Math.floor((done() / total) * 100);
    stream.write(`${grouped(done())} of ${grouped(total)} rows (${percent}%)\n`);
  }, lineEveryMs);
  return { stop: () => clearInterval(timer) };
};
