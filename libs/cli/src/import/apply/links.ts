import type { CardinalClient } from '@cardinal/client/source';
import { type Bounds, forEachConcurrently } from '../concurrently.ts';
import { isRefused } from '../found.ts';
import type { Edge } from '../plan/cycles.ts';

/** The outcomes of dependencies; those that were not created, with the reason. */
export interface LinkOutcome {
  made: number;
  missing: string[];
  refused: string[];
}

/**
 * Creates dependencies; existing ones stay. A card that is in no file is looked up by its identifier. The service refuses
 * dependencies that would close a cycle, and they are reported.
 * @param idOf the card of a name in the plan or export; undefined for a card to look up by its identifier
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
