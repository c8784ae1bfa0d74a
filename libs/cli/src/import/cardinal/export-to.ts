import { grouped, several } from '../../print.ts';
import type { Session } from '../../session.ts';
import { connectPatiently } from '../connect.ts';
import { showProgress } from '../report.ts';
import { exportWorkspace } from './export.ts';
import type { Counts } from './format.ts';
import { openWriter } from './writing.ts';

const kinds = ['card', 'workstream', 'board', 'column', 'label', 'comment', 'subtask', 'file', 'person'];

const describe = (counts: Counts): string[] => {
  const shown = kinds.map((kind) => several(counts[kind] ?? 0, kind, kind === 'person' ? 'people' : undefined));
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

/** Exports a workspace and prints the counts. @throws Stopped */
export const exportTo = async (folder: string, session: Session): Promise<void> => {
  const { client } = await connectPatiently(session);
  const out = await openWriter(folder);
  const isStopped = session.watchSignals();
  const lines = () => Object.values(out.counts).reduce((a, b) => a + b, 0);
  try {
    const exporting = exportWorkspace(client, out, isStopped, new Date().toISOString());
    const counts = await showProgress(exporting, { what: 'line', done: lines });
    console.log(describe(counts).join('\n'));
  } finally {
    await out.close();
  }
};
