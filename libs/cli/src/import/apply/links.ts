import { CardinalError } from '@cardinal/client/source';
import { type Bounds, forEachConcurrently } from '../concurrently.ts';
import type { Edge } from '../plan/cycles.ts';
import type { ApplyContext } from './cards.ts';

/** What became of dependencies; those that were not made, with the reason. */
export interface LinkOutcome {
  made: number;
  missing: string[];
  refused: string[];
}

/**
 * Makes dependencies; one that is there stays. An end that is in no file is looked for by its identifier; what would
 * close a cycle with dependencies of the workspace is refused there, and reported.
 * @throws Stopped
 */
export const makeLinks = async (
  edges: readonly Edge[],
  context: Pick<ApplyContext, 'client' | 'journal' | keyof Bounds>,
  outcome: LinkOutcome,
): Promise<void> => {
  const { client, journal } = context;
  const nameOf = (key: string) => journal.cards.get(key)?.id ?? key;
  await forEachConcurrently(edges, context, async ([from, to]) => {
    try {
      await client.cards.addDependency(nameOf(from), nameOf(to));
      outcome.made += 1;
    } catch (error) {
      if (!(error instanceof CardinalError)) throw error;
      if (error.code === 'not_found') outcome.missing.push(`${from} > ${to}`);
      else if (error.code === 'conflict') outcome.refused.push(`${from} > ${to}: ${error.message}`);
      else throw error;
    }
  });
};
