import { resolve } from 'node:path';
import { Command } from 'commander';
import type { ImportEnvironment } from '../config.ts';
import { connect } from '../connect.ts';
import { explain, grouped } from '../report.ts';
import { Stopped } from './context.ts';
import { exportWorkspace } from './export.ts';
import type { Counts } from './format.ts';
import { openWriter } from './writing.ts';

const stopped = 130;

const command = ({ url, token }: ImportEnvironment) =>
  new Command('export')
    .description('Writes all that you see of a workspace as JSON lines, with the bytes of its files.')
    .argument('<folder>', 'a new folder')
    .option('--url <url>', 'where Cardinal listens (default: CARDINAL_URL or http://127.0.0.1:8080)', url)
    .option('--token <token>', 'access token (default: CARDINAL_TOKEN, which shows in no list of processes)', token);

const plurals: Record<string, string> = {
  card: 'cards',
  workstream: 'workstreams',
  board: 'boards',
  column: 'columns',
  label: 'labels',
  comment: 'comments',
  subtask: 'subtasks',
  file: 'files',
};

const describe = (counts: Counts): string[] => {
  const shown = Object.entries(plurals).map(([type, name]) => `${grouped(counts[type] ?? 0)} ${name}`);
  const { identifier = 0, hidden_dependency = 0, unclean_file = 0 } = counts;
  return [
    shown.join(', '),
    ...(identifier > 0
      ? [`identifiers whose cards are deleted, or on boards that you do not see: ${grouped(identifier)}`]
      : []),
    ...(hidden_dependency > 0
      ? [`left out, dependencies on cards that you do not see: ${grouped(hidden_dependency)}`]
      : []),
    ...(unclean_file > 0 ? [`left out, files that are not clean: ${grouped(unclean_file)}`] : []),
  ];
};

/** A line every five seconds, or on a terminal one that changes. */
const showLines = (counts: Counts): (() => void) => {
  const { isTTY } = process.stderr;
  const said = () => `${grouped(Object.values(counts).reduce((a, b) => a + b, 0))} lines`;
  const report = () => process.stderr.write(isTTY ? `\r${said()}` : `${said()}\n`);
  const timer = setInterval(report, isTTY ? 100 : 5_000);
  return () => {
    clearInterval(timer);
    if (isTTY) process.stderr.write('\r');
  };
};

/**
 * Exports a workspace and says on the console what there was. A wrong command line, and `--help`, end the process.
 * @returns the exit code: 0, 1 after an error, 130 when stopped
 */
export const runExport = async (
  args: string[],
  environment: ImportEnvironment,
  isStopped: () => boolean,
): Promise<number> => {
  const parsed = command(environment).parse(args, { from: 'user' });
  const { url, token } = parsed.opts<{ url: string; token: string | undefined }>();
  try {
    const { client } = await connect({ url, token });
    const out = await openWriter(resolve(environment.directory, parsed.args[0] ?? ''));
    const stopLines = showLines(out.counts);
    try {
      const counts = await exportWorkspace(client, out, isStopped, new Date().toISOString());
      console.log(describe(counts).join('\n'));
      return 0;
    } finally {
      stopLines();
      await out.close();
    }
  } catch (error) {
    if (error instanceof Stopped) {
      console.log('stopped; the export is not complete, and no import takes it');
      return stopped;
    }
    const line = explain(error, url);
    console.error(line === undefined ? error : `error: ${line}`);
    return 1;
  }
};
