import type { CardinalClient } from '@cardinal/client/source';
import { type Bounds, forEachConcurrently } from '../concurrently.ts';
import { isRefused } from '../found.ts';
import type { Edge } from '../plan/cycles.ts';

/** What became of dependencies; those that were not made, with the reason. */
export interface LinkOutcome {
  made: number;
  missing: string[];
  refused: string[];
}

/**
 * Makes dependencies; one that is there stays. An end that is in no file is looked for by its identifier; what would
 * close a cycle with dependencies of the workspace is refused there, and reported.
 * @param idOf the card of a plan's or an export's name; undefined for one that is looked for by its identifier
 * @throws Stopped
 */
export const makeLinks = async (
  edges: readonly Edge[],
  { client, ...bounds }: Bounds & { client: CardinalClient },
  idOf: (name: string) => string | undefined,
  outcome: LinkOutcome,
): Promise<void> => {
  await forEachConcurrently(edges, bounds, async ([from, to]) => {
    try {
      await client.cards.addDependency(idOf(from) ?? from, idOf(to) ?? to);
      outcome.made += 1;
    } catch (error) {
      if (isRefused(error, 'not_found')) outcome.missing.push(`${from} > ${to}`);
      else if (isRefused(error, 'conflict')) outcome.refused.push(`${from} > ${to}: ${error.message}`);
      else throw error;
    }
  });
};
