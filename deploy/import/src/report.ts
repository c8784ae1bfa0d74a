import { CardinalError } from '@cardinal/client/source';
import { Presets, SingleBar } from 'cli-progress';

/** Why an import cannot go on, in one line for the person who typed the command. */
export class ImportError extends Error {}

/** What a file holds, found by reading it once before anything is written. */
export interface Survey {
  rows: number;
  refused: number;
  /** Rows of each workstream that a title names. */
  prefixes: Map<string, number>;
  labels: Set<string>;
  /** Rows whose match cannot be a prefix, and the first few of these matches. */
  unusable: { rows: number; examples: Set<string> };
}

interface Count {
  created: number;
  /** Made by an earlier run (`Idempotent-Replayed`). */
  alreadyThere: number;
}

const nothing = (): Count => ({ created: 0, alreadyThere: 0 });

/** Counts cards as they are answered, in all and by the prefix that each got. */
export const newTally = () => ({ all: nothing(), byPrefix: new Map<string, Count>() });
export type Tally = ReturnType<typeof newTally>;

export const countCard = (tally: Tally, prefix: string, replayed: boolean): void => {
  const count = tally.byPrefix.get(prefix) ?? nothing();
  tally.byPrefix.set(prefix, count);
  for (const each of [tally.all, count]) each[replayed ? 'alreadyThere' : 'created'] += 1;
};

/** 6523 as 6,523. */
export const grouped = (number: number): string => number.toLocaleString('en-US');

const duration = (ms: number): string => {
  const seconds = ms / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
};

const byRows = (a: [string, number], b: [string, number]) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1);

/** What the file holds, before anything is written. */
export const describeSurvey = ({ rows, prefixes, labels, unusable }: Survey): string[] => {
  const named = [...prefixes].sort(byRows);
  const inNamed = named.reduce((sum, [, count]) => sum + count, 0);
  return [
    `${grouped(rows)} rows: ${grouped(inNamed)} in ${named.length} workstreams, ${grouped(rows - inNamed)} in the default one`,
    ...(named.length > 0 ? [named.map(([prefix, count]) => `${prefix} ${grouped(count)}`).join(', ')] : []),
    ...(labels.size > 0 ? [`${grouped(labels.size)} labels`] : []),
    ...(unusable.rows > 0
      ? [
          `${grouped(unusable.rows)} of the rows in the default workstream matched what cannot be a prefix: ${[...unusable.examples].join(', ')}`,
        ]
      : []),
  ];
};

/** Cards in all. */
export const total = (count: Count): number => count.created + count.alreadyThere;

/** What the import did, in so many ms. */
export const describeResult = (
  { all, byPrefix }: Tally,
  { board, column }: Record<'board' | 'column', { name: string }>,
  elapsedMs: number,
): string[] => {
  const row = (name: string, count: Count) =>
    `  ${name.padEnd(12)}${grouped(count.created).padStart(10)}${grouped(count.alreadyThere).padStart(15)}`;
  const counts = [...byPrefix].sort((a, b) => byRows([a[0], total(a[1])], [b[0], total(b[1])]));
  return [
    `board "${board.name}", column "${column.name}": ${grouped(all.created)} cards created, ${grouped(all.alreadyThere)} already there, ${duration(elapsedMs)}`,
    `  ${'workstream'.padEnd(12)}${'created'.padStart(10)}${'already there'.padStart(15)}`,
    ...counts.map(([prefix, count]) => row(prefix, count)),
    row('all', all),
  ];
};

/** Shows how far the import is, until the result is called: a bar on a terminal, elsewhere a line every five seconds. */
export const showProgress = (rows: number, done: () => number): (() => void) => {
  const format = '{bar} {percentage}% | {value}/{total} rows | {duration_formatted}';
  // Elsewhere than on a terminal the bar says nothing.
  const bar = new SingleBar({ format, hideCursor: true }, Presets.shades_classic);
  bar.start(rows, done());
  const report = () => {
    const percent = Math.floor((done() / rows) * 100);
    process.stderr.write(`${grouped(done())} of ${grouped(rows)} rows (${percent}%)\n`);
  };
  const timer = process.stderr.isTTY ? setInterval(() => bar.update(done()), 100) : setInterval(report, 5_000);
  return () => {
    clearInterval(timer);
    bar.update(done());
    bar.stop();
  };
};

/** What went wrong and what to do about it, in one line; undefined for an unforeseen error, whose stack says more. */
export const explain = (error: unknown, url: string): string | undefined => {
  if (error instanceof ImportError) return error.message;
  if (!(error instanceof CardinalError)) return undefined;
  switch (error.code) {
    case 'connection_failed':
    case 'timed_out':
      return `no answer from ${url} (${error.details.reason}); start Cardinal with "npm start", or name it with --url or CARDINAL_URL`;
    case 'unauthenticated':
      return 'the token was not accepted, it may have expired; "npm run --silent token -- --help" tells how to get one';
    case 'insufficient_scope':
      return 'the token lacks a scope; an import needs kanban:read and kanban:write';
    case 'unexpected_response':
      return `${url} answered (${error.status}), but it is not Cardinal; name Cardinal with --url or CARDINAL_URL`;
    default: {
      const request = error.requestId ? `, request ${error.requestId}` : '';
      return `the service refused: ${error.message}${request}`;
    }
  }
};
