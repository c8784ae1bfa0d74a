import { stopped } from '../../errors.ts';
import { grouped, several } from '../../print.ts';
import type { Session } from '../../session.ts';
import { connectPatiently } from '../connect.ts';
import { Stopped } from './context.ts';
import { exportWorkspace } from './export.ts';
import type { Counts } from './format.ts';
import { openWriter } from './writing.ts';

const kinds = ['card', 'workstream', 'board', 'column', 'label', 'comment', 'subtask', 'file'];

const describe = (counts: Counts): string[] => {
  const shown = kinds.map((kind) => several(counts[kind] ?? 0, kind));
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
  const said = () =>
    several(
      Object.values(counts).reduce((a, b) => a + b, 0),
      'line',
    );
  const report = () => process.stderr.write(isTTY ? `\r${said()}` : `${said()}\n`);
  const timer = setInterval(report, isTTY ? 100 : 5_000);
  return () => {
    clearInterval(timer);
    if (isTTY) process.stderr.write('\r');
  };
};

/** Exports a workspace and says on the console what there was. @returns the exit code: 0, or 130 when stopped */
export const exportTo = async (folder: string, session: Session): Promise<number> => {
  const { client } = await connectPatiently(session);
  const out = await openWriter(folder);
  const isStopped = session.watchSignals();
  const stopLines = showLines(out.counts);
  try {
    const counts = await exportWorkspace(client, out, isStopped, new Date().toISOString());
    console.log(describe(counts).join('\n'));
    return 0;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    console.log('stopped; the export is not complete, and no import takes it');
    return stopped;
  } finally {
    stopLines();
    await out.close();
  }
};
