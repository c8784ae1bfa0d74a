import type { CardinalClient } from '@cardinal/client/source';
import type { Plan } from '../plan/plan.ts';
import { findWorkstreams } from './workspace.ts';

/**
 * Ends an import for good: workstreams whose numbers cards have now are opened and number on behind the highest one;
 * those that only gave former identifiers are archived, and these go on resolving. What is so already stays.
 * @returns what was done, a line for each workstream
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
