import type { CardinalClient } from '@cardinal/client/source';
import type { Plan } from '../plan/plan.ts';
import { findWorkstreams } from './workspace.ts';

/**
 * Ends an import for good. Opens workstreams that have current identifiers: they issue numbers above the highest one. Archives
 * those with former identifiers only, which still resolve. Open and archived ones stay as they are.
 * @returns a line for each workstream
 */
export const openWorkstreams = async (
  client: CardinalClient,
  { workstreams }: Pick<Plan, 'workstreams'>,
): Promise<string[]> => {
  const found = await findWorkstreams(client);
  const lines: string[] = [];
  for (const { prefix, current, numbered } of workstreams) {
    const workstream = found.get(prefix);
    if (!workstream?.adopting || workstream.archived_at !== null) continue;
    if (current + numbered > 0) {
      await client.workstreams.open(workstream, {});
      lines.push(`workstream ${prefix} is open and numbers its next cards itself`);
    } else {
      await client.workstreams.archive(workstream);
      lines.push(`workstream ${prefix} is archived; its identifiers go on resolving`);
    }
  }
  return lines;
};
